// Package readerloop tries again around a reader that has tried again.
package readerloop

import (
	"context"
	"log/slog"
	"time"

	"github.com/resiliencevet/resiliencevet/integration/stacked/readerloop/feed"
)

// Call reads one timetable at base.
func Call(base string) error {
	_, err := departures(context.Background(), feed.NewReader(base), "harbour")
	return err
}

func departures(ctx context.Context, from *feed.Reader, stop string) ([]byte, error) {
	for left := 4; ; left-- {
		table, err := from.Read(ctx, stop)
		if err == nil || left == 0 {
			return table, err
		}
		slog.Debug("the timetable could not be read", "stop", stop, "left", left, "error", err)
		time.Sleep(time.Millisecond)
	}
}
