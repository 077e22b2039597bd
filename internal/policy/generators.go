package policy

import "strings"

// generators are functions that return something new with every call, from
// which keys are made: packages whose functions all do, and single functions.
var generatorPackages = map[string]bool{
	"crypto/rand": true, "math/rand": true, "math/rand/v2": true,
	"github.com/google/uuid": true, "github.com/gofrs/uuid": true, "github.com/gofrs/uuid/v5": true, "github.com/satori/go.uuid": true,
	"github.com/hashicorp/go-uuid": true, "github.com/pborman/uuid": true,
	"github.com/oklog/ulid": true, "github.com/oklog/ulid/v2": true, "github.com/rs/xid": true, "github.com/segmentio/ksuid": true,
	"github.com/matoous/go-nanoid": true, "github.com/matoous/go-nanoid/v2": true, "github.com/jaevor/go-nanoid": true,
	"github.com/lithammer/shortuuid": true, "github.com/lithammer/shortuuid/v3": true, "github.com/lithammer/shortuuid/v4": true,
	"github.com/teris-io/shortid": true, "github.com/bwmarrin/snowflake": true, "github.com/sony/sonyflake": true,
	"k8s.io/apimachinery/pkg/util/uuid": true, "k8s.io/apimachinery/pkg/util/rand": true,
}

// derives are beginnings of names, in those packages, of functions that make
// the same of the same: parsers, and ids by hash.
var derives = []string{"Parse", "MustParse", "From", "NewSHA1", "NewMD5", "NewV3", "NewV5", "NewHash", "New3", "New5", "Must", "Validate", "Is", "Set", "Enable", "Disable", "Seed", "String", "Bytes", "Unmarshal", "Marshal", "Compare", "Shuffle"}

// generates says whether a function returns something new with every call.
func generates(fullName, path, name string) bool {
	if fullName == "time.Now" || path == "sync/atomic" && strings.HasPrefix(name, "Add") {
		return true
	}
	if !generatorPackages[path] {
		return false
	}
	if i := strings.LastIndexByte(fullName, ')'); i > 0 && path != "math/rand" && path != "math/rand/v2" && !strings.HasPrefix(name, "New") && !strings.HasPrefix(name, "Gen") && !strings.HasPrefix(name, "Next") {
		return false // a method of an id that is there
	}
	for _, d := range derives {
		if rest, ok := strings.CutPrefix(name, d); ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return false
		}
	}
	return true
}
