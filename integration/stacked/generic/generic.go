// Package generic is given a value by a helper, and gives the helper itself away.
package generic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/resiliencevet/resiliencevet/integration/stacked/generic/again"
)

type tide struct{ Height float64 }

func heightAt(ctx context.Context, base string) (*tide, error) {
	return again.Do(ctx, 3, func(ctx context.Context) (*tide, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/tide", nil)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("tide: %s", resp.Status)
		}
		t := new(tide)
		return t, json.NewDecoder(resp.Body).Decode(t)
	})
}

// warning says whether the quay is under water.
func warning(ctx context.Context, base string) (bool, error) {
	return again.Do(ctx, 2, func(ctx context.Context) (bool, error) {
		t, err := heightAt(ctx, base)
		if err != nil {
			return false, err
		}
		return t.Height > 4, nil
	})
}

// Call asks the server at base once.
func Call(base string) error {
	_, err := warning(context.Background(), base)
	return err
}
