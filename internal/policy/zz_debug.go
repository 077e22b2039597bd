package policy

import (
	"fmt"
	"os"
)

func debugStream(m *modeler, d *streamer, fn string, exhausted bool, steps int) {
	if os.Getenv("RVDEBUG") == "" {
		return
	}
	fmt.Fprintf(os.Stderr, "RUN %s steps=%d exhausted=%v cut=%v nested=%d doubt=%v kills=%d\n", fn, steps, exhausted, d.cut, d.nested, d.doubt, len(d.kills))
	for _, r := range d.order {
		g, _ := d.guardOf(r)
		fmt.Fprintf(os.Stderr, "   READ %s ev=%b guard=%d srcdoubt=%v given=%v %v\n", m.pass.Fset.Position(r.at.instr.Pos), r.ev, g, r.src.doubt, r.src.given, r.src.bounds.Total)
	}
	for _, k := range d.kills[:min(len(d.kills), 6)] {
		fmt.Fprintf(os.Stderr, "   KILL %s timer=%v waits=%v\n", m.pass.Fset.Position(k.at.instr.Pos), k.timer != nil, k.waits)
	}
}
