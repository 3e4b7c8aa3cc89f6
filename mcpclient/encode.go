package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// wireRoot is a [Root] as roots/list has it ("Roots", "Data Types": uri is
// required, name optional).
type wireRoot struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// Encode makes an immutable answer from roots, in their order. It copies the
// slice, so the caller may go on using it.
func Encode(generation uint64, roots []Root) *Exposure {
	list := struct {
		Roots []wireRoot `json:"roots"`
	}{make([]wireRoot, len(roots))} // never null: the schema wants an array
	for i, r := range roots {
		list.Roots[i] = wireRoot(r)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		panic(fmt.Sprintf("mcpclient: two strings cannot fail to encode: %v", err))
	}
	return &Exposure{
		Generation: generation,
		Roots:      slices.Clone(roots),
		JSON:       bytes.TrimRight(buf.Bytes(), "\n"), // a newline would end the message on stdio
	}
}
