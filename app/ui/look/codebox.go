package look

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// CodeBox shows a command, a URL or output exactly, in a fixed-width type. It
// wraps at any character, cuts nothing, and can be selected and copied.
type CodeBox struct {
	widget.BaseWidget
	label *widget.Label
}

// NewCodeBox returns a code box.
func NewCodeBox(text string) *CodeBox {
	l := widget.NewLabel(text)
	l.TextStyle = fyne.TextStyle{Monospace: true}
	l.Wrapping = fyne.TextWrapBreak
	l.Selectable = true
	l.SizeName = SizeNameCode
	c := &CodeBox{label: l}
	c.ExtendBaseWidget(c)
	return c
}

// SizeNameCode is the size of fixed-width type.
const SizeNameCode fyne.ThemeSizeName = "rootsCode"

// Text is what is shown.
func (c *CodeBox) Text() string { return c.label.Text }

// SetText changes what is shown.
func (c *CodeBox) SetText(s string) {
	if c.label.Text != s {
		c.label.SetText(s)
	}
}

// CreateRenderer implements fyne.Widget.
func (c *CodeBox) CreateRenderer() fyne.WidgetRenderer {
	c.ExtendBaseWidget(c)
	box := container.NewStack(NewSurface(ColorBackground, ColorLine, Radius), Inset(2, 2, 4, 4, c.label))
	return widget.NewSimpleRenderer(box)
}

// Quote writes a command line so that a shell would split it into the same
// words again; words that need no quotes have none.
func Quote(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quoteWord(w)
	}
	return strings.Join(out, " ")
}

func quoteWord(w string) string {
	if w == "" {
		return `""`
	}
	plain := strings.IndexFunc(w, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0x9f || strings.ContainsRune("-_./:=@%+,~", r))
	}) < 0
	if plain {
		return w
	}
	if !strings.ContainsAny(w, "\"$`\\!\n\t") {
		return `"` + w + `"`
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
