package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// SearchEntry is a filter box. Escape empties it.
type SearchEntry struct {
	widget.Entry
	// OnLeave is called when Escape is pressed in an empty box.
	OnLeave func()
}

// NewSearchEntry returns a filter box; changed is called with every key.
func NewSearchEntry(placeholder string, changed func(string)) *SearchEntry {
	s := &SearchEntry{}
	s.ExtendBaseWidget(s)
	s.SetPlaceHolder(placeholder)
	s.OnChanged = changed
	s.Scroll = fyne.ScrollNone
	s.SetIcon(&searchIcon{})
	return s
}

// TypedKey implements fyne.Focusable.
func (s *SearchEntry) TypedKey(ev *fyne.KeyEvent) {
	if ev.Name == fyne.KeyEscape {
		if s.Text != "" {
			s.SetText("")
		} else if s.OnLeave != nil {
			s.OnLeave()
		}
		return
	}
	switch ev.Name {
	case fyne.KeyF1, fyne.KeyF2, fyne.KeyF5:
		Forward(s, ev)
		return
	}
	s.Entry.TypedKey(ev)
}

// searchIcon is the magnifier in the muted colour of whatever theme is shown.
type searchIcon struct{}

func (*searchIcon) Name() string    { return Resource(IconSearch, ColorMuted).Name() }
func (*searchIcon) Content() []byte { return Resource(IconSearch, ColorMuted).Content() }
