package look

import (
	"encoding/binary"
	"slices"
	"sync"

	"fyne.io/fyne/v2"
)

// roomBelow is what the fixed-width face gets below its letters, in units of
// its 2,048 a letter is high.
const roomBelow = 200

// withRoom is Fyne's fixed-width face with more room below the letters. Its
// underscore lies on the very edge of a line, and Fyne cuts a line off one
// pixel early at most sizes and scales: commands would be shown without their
// underscores.
func withRoom(face fyne.Resource) fyne.Resource {
	roomy.Lock()
	defer roomy.Unlock()
	if roomy.of == nil || roomy.of.Name() != face.Name() {
		roomy.of = face
		roomy.made = fyne.NewStaticResource("roomy-"+face.Name(), lowered(face.Content()))
	}
	return roomy.made
}

// roomy is the face made last: making it copies 300 kB.
var roomy struct {
	sync.Mutex
	of, made fyne.Resource
}

// lowered moves the lower edge of a line in a TrueType or OpenType file, which
// is field 3 of its table "hhea". Anything else is returned as it is.
func lowered(file []byte) []byte {
	const head, entry = 12, 16
	if len(file) < head {
		return file
	}
	tables := int(binary.BigEndian.Uint16(file[4:]))
	for i := range tables {
		at := head + i*entry
		if at+entry > len(file) {
			return file
		}
		if string(file[at:at+4]) != "hhea" {
			continue
		}
		field := int(binary.BigEndian.Uint32(file[at+8:])) + 6
		if field+2 > len(file) {
			return file
		}
		out := slices.Clone(file)
		edge := int16(binary.BigEndian.Uint16(file[field:]))
		binary.BigEndian.PutUint16(out[field:], uint16(edge-roomBelow))
		return out
	}
	return file
}
