package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
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

// TypedShortcut implements fyne.Shortcutable: Fyne gives every shortcut to a
// focused entry alone, so those of the window are handed on.
func (s *SearchEntry) TypedShortcut(sc fyne.Shortcut) {
	if _, own := sc.(*desktop.CustomShortcut); own {
		if cv, ok := fyne.CurrentApp().Driver().CanvasForObject(s).(fyne.Shortcutable); ok {
			cv.TypedShortcut(sc)
			return
		}
	}
	s.Entry.TypedShortcut(sc)
}

// CreateRenderer implements fyne.Widget.
func (s *SearchEntry) CreateRenderer() fyne.WidgetRenderer {
	return EntryRenderer(s.Entry.CreateRenderer())
}

// EntryRenderer keeps the border of one of Fyne's entries in its own colour:
// widgets that extend widget.Entry return it from CreateRenderer.
func EntryRenderer(r fyne.WidgetRenderer) fyne.WidgetRenderer {
	e := &entryRenderer{r}
	e.mend()
	return e
}

type entryRenderer struct{ fyne.WidgetRenderer }

func (r *entryRenderer) Refresh() {
	r.WidgetRenderer.Refresh()
	r.mend()
}

// mend gives the border's invisible fill the border's colour: see clear.
func (r *entryRenderer) mend() {
	for _, o := range r.Objects() {
		if b, ok := o.(*canvas.Rectangle); ok && b.StrokeWidth > 0 {
			c := color.NRGBAModel.Convert(b.StrokeColor).(color.NRGBA)
			c.A = 1
			b.FillColor = c
			canvas.Refresh(b)
		}
	}
}

// searchIcon is the magnifier in the muted colour of whatever theme is shown.
type searchIcon struct{}

func (*searchIcon) Name() string    { return Resource(IconSearch, ColorMuted).Name() }
func (*searchIcon) Content() []byte { return Resource(IconSearch, ColorMuted).Content() }
