package look

import (
	"bytes"
	"testing"

	"fyne.io/fyne/v2/theme"
	"github.com/go-text/typesetting/font"
)

func TestUnderscoreLiesWithinItsLine(t *testing.T) {
	face, err := font.ParseTTF(bytes.NewReader(withRoom(theme.DefaultTextMonospaceFont()).Content()))
	if err != nil {
		t.Fatal(err)
	}
	line, ok := face.FontHExtents()
	if !ok {
		t.Fatal("the face tells no extents")
	}
	glyph, ok := face.NominalGlyph('_')
	if !ok {
		t.Fatal("the face has no underscore")
	}
	ink, ok := face.GlyphExtents(glyph)
	if !ok {
		t.Fatal("the underscore has no extents")
	}
	// A pixel is 1/12 of the smallest type in use.
	pixel := float32(face.Upem()) / 12
	if room := ink.YBearing + ink.Height - line.Descender; room < pixel {
		t.Errorf("%.0f units of room below the underscore, want a pixel (%.0f)", room, pixel)
	}
}

func TestLoweredLeavesOtherFilesAlone(t *testing.T) {
	for _, file := range [][]byte{nil, {1, 2, 3}, []byte("OTTO\x00\x09------"), bytes.Repeat([]byte("hhea"), 10)} {
		if got := lowered(file); !bytes.Equal(got, file) {
			t.Errorf("%q became %q", file, got)
		}
	}
}
