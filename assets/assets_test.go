package assets

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"io/fs"
	"os"
	"strings"
	"testing"
)

func TestIconIsASquareOf512(t *testing.T) {
	img, err := png.Decode(bytes.NewReader(Icon))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 512 || size.Y != 512 {
		t.Errorf("the icon is %v, want 512 × 512", size)
	}
	if _, _, _, alpha := img.At(0, 0).RGBA(); alpha != 0 {
		t.Error("the icon's corner is not transparent")
	}
	if err := xml.Unmarshal(IconSVG, new(struct{})); err != nil {
		t.Errorf("icon.svg: %v", err)
	}
}

func TestDesktopEntryAndFyneAppAgree(t *testing.T) {
	details, err := os.ReadFile("../FyneApp.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`ID = "dev.rootsmanager.app"`, `Name = "Roots Manager"`, `Icon = "assets/icon.png"`} {
		if !strings.Contains(string(details), line+"\n") {
			t.Errorf("FyneApp.toml lacks %s", line)
		}
	}
	for _, line := range []string{"[Desktop Entry]", "Name=Roots Manager", "Icon=dev.rootsmanager.app", "Exec=roots-manager %F", "Terminal=false"} {
		if !strings.Contains("\n"+string(DesktopEntry), "\n"+line+"\n") {
			t.Errorf("the desktop entry lacks %s", line)
		}
	}
}

func TestTranslationsAreReadable(t *testing.T) {
	files, err := fs.Glob(Translations, "translations/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no translations: %v", err)
	}
	for _, name := range files {
		data, err := fs.ReadFile(Translations, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &map[string]any{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
