package main

import (
	"fmt"
	"strings"
)

// result is a policy and what came of it.
type result struct {
	policy
	retry bool
	tally
}

func (r result) title() string {
	if r.retry {
		return r.name + ", one retry"
	}
	return r.name
}

// plot draws a bar for each result: all attempts, by what became of them.
func plot(results []result) string {
	const (
		left, top  = 262, 56
		bar, pitch = 20, 30
		perAttempt = 2 // pixels
	)
	height := top + pitch*len(results) + 34
	var b strings.Builder
	text := func(x, y int, anchor, s string) {
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, s)
	}
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"820\" height=\"%[1]d\" viewBox=\"0 0 820 %[1]d\" font-family=\"sans-serif\" font-size=\"13\">\n", height)
	fmt.Fprintf(&b, "<title>What becomes of %d streams under each policy</title>\n", streams)
	fmt.Fprintf(&b, "<rect width=\"820\" height=\"%d\" fill=\"#ffffff\"/>\n", height)
	kinds := []struct {
		name, fill, ink string
		of              func(tally) int
	}{
		{"completed", "#4c9f70", "#ffffff", func(y tally) int { return y.complete }},
		{"healthy, killed", "#d1495b", "#ffffff", func(y tally) int { return y.killed }},
		{"stall, noticed", "#c9c9c9", "#000000", func(y tally) int { return y.detected }},
		{"stall, never noticed", "#1f1f1f", "#ffffff", func(y tally) int { return y.undetected }},
	}
	for i, k := range kinds {
		x := left + 140*i
		if i > 0 {
			x -= 24
		}
		fmt.Fprintf(&b, "<rect x=\"%d\" y=\"14\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x, k.fill)
		text(x+17, 25, "start", k.name)
	}
	for n := 0; n <= 250; n += 50 {
		x := left + perAttempt*n
		fmt.Fprintf(&b, "<line x1=\"%[1]d\" y1=\"%[2]d\" x2=\"%[1]d\" y2=\"%[3]d\" stroke=\"#e3e3e3\"/>\n", x, top-8, height-30)
		text(x, height-14, "middle", fmt.Sprint(n))
	}
	for i, r := range results {
		y := top + pitch*i
		text(left-10, y+15, "end", r.title())
		x := left
		for _, k := range kinds {
			n := k.of(r.tally)
			if n == 0 {
				continue
			}
			fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"><title>%s: %d</title></rect>\n", x, y, perAttempt*n, bar, k.fill, k.name, n)
			if n >= 5 { // a number needs room
				fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">%d</text>\n", x+perAttempt*n/2, y+15, k.ink, n)
			}
			x += perAttempt * n
		}
	}
	text(left-10, height-14, "end", "attempts")
	b.WriteString("</svg>\n")
	return b.String()
}
