package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The size of the drawing, in pixels.
const (
	wide, high = 760, 460
	left, top  = 70, 60
	plotWide   = 640
	plotHigh   = 300
)

var colours = map[string]string{byServers: "#2563eb", byRoots: "#059669", byList: "#d97706"}

// plot draws the curves, both axes logarithmic: what grows linearly is a line
// that rises by one square with each.
func plot(rows []row) []byte {
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", wide, high)
	fmt.Fprintf(&s, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", wide, high)
	fmt.Fprintf(&s, `<text x="%d" y="30" font-size="15">Roots Manager: median cost by number of servers or folders</text>`+"\n", left)
	for power := 0; power <= 4; power++ {
		x := across(math.Pow10(power))
		fmt.Fprintf(&s, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/>`, x, top, x, top+plotHigh)
		fmt.Fprintf(&s, `<text x="%.1f" y="%d" text-anchor="middle">%.0f</text>`+"\n", x, top+plotHigh+18, math.Pow10(power))
		y := up(math.Pow10(power))
		fmt.Fprintf(&s, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>`, left, y, left+plotWide, y)
		fmt.Fprintf(&s, `<text x="%d" y="%.1f" text-anchor="end">%.0f ms</text>`+"\n", left-6, y+4, math.Pow10(power))
	}
	for i, name := range []string{byServers, byList, byRoots} {
		var line []string
		var dots strings.Builder
		for _, r := range rows {
			if r.What != name {
				continue
			}
			n := r.Roots
			if name == byServers {
				n = r.Servers
			}
			x, y := across(float64(n)), up(r.P50)
			line = append(line, fmt.Sprintf("%.1f,%.1f", x, y))
			fmt.Fprintf(&dots, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"><title>%d: %.1f ms</title></circle>`+"\n", x, y, colours[name], n, r.P50)
		}
		fmt.Fprintf(&s, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n%s", strings.Join(line, " "), colours[name], dots.String())
		y := top + plotHigh + 42 + 18*i
		fmt.Fprintf(&s, `<rect x="%d" y="%d" width="12" height="12" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n", left, y-10, colours[name], left+20, y, html.EscapeString(name))
	}
	s.WriteString("</svg>\n")
	return []byte(s.String())
}

func across(n float64) float64 { return left + plotWide*math.Log10(max(n, 1))/4 }

func up(ms float64) float64 { return top + plotHigh - plotHigh*math.Log10(max(ms, 1))/4 }
