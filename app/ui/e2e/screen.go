package e2e

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// Screen reads pixels from the X server, and does nothing else: tools that are
// started for every look would disturb what is measured. It speaks as much of
// the X11 protocol (version 11, release 6) as that needs, without
// authentication, as on the private display of `make e2e`.
type Screen struct {
	conn net.Conn
	root uint32 // the window that holds all others
}

// OpenScreen connects to the display of the environment.
func OpenScreen() (*Screen, error) {
	_, number, found := strings.Cut(os.Getenv("DISPLAY"), ":")
	if !found {
		return nil, errors.New("there is no display; run: make bench")
	}
	number, _, _ = strings.Cut(number, ".")
	conn, err := net.Dial("unix", "/tmp/.X11-unix/X"+number)
	if err != nil {
		return nil, err
	}
	s := &Screen{conn: conn}
	if err := s.greet(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

// Close ends the connection.
func (s *Screen) Close() error { return s.conn.Close() }

// greet sets the connection up ("Connection Setup" in the protocol) and learns
// the first screen's root window.
func (s *Screen) greet() error {
	if err := s.conn.SetDeadline(time.Now().Add(Patience)); err != nil {
		return err
	}
	if _, err := s.conn.Write([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		return err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(s.conn, head); err != nil {
		return err
	}
	body := make([]byte, 4*int(binary.LittleEndian.Uint16(head[6:])))
	if _, err := io.ReadFull(s.conn, body); err != nil {
		return err
	}
	if head[0] != 1 {
		return fmt.Errorf("the display refuses: %q", body)
	}
	vendor, formats := int(binary.LittleEndian.Uint16(body[16:])), int(body[21])
	at := 32 + (vendor+3)/4*4 + 8*formats
	if at+4 > len(body) {
		return errors.New("the display's greeting is too short")
	}
	s.root = binary.LittleEndian.Uint32(body[at:])
	return nil
}

// Colours counts the different colours in a rectangle of the display.
func (s *Screen) Colours(x, y, width, height int) (int, error) {
	if err := s.conn.SetDeadline(time.Now().Add(Patience)); err != nil {
		return 0, err
	}
	request := []byte{73, 2, 5, 0} // GetImage, ZPixmap, length
	request = binary.LittleEndian.AppendUint32(request, s.root)
	for _, v := range []int{x, y, width, height} {
		request = binary.LittleEndian.AppendUint16(request, uint16(v))
	}
	request = binary.LittleEndian.AppendUint32(request, 0xffffffff) // every plane
	if _, err := s.conn.Write(request); err != nil {
		return 0, err
	}
	head := make([]byte, 32)
	for head[0] = 2; head[0] > 1; { // more than 1: an event, which everybody gets
		if _, err := io.ReadFull(s.conn, head); err != nil {
			return 0, err
		}
	}
	if head[0] == 0 {
		return 0, fmt.Errorf("the display gives no picture (error %d)", head[1])
	}
	pixels := make([]byte, 4*int(binary.LittleEndian.Uint32(head[4:])))
	if _, err := io.ReadFull(s.conn, pixels); err != nil {
		return 0, err
	}
	seen := map[uint32]bool{}
	for ; len(pixels) >= 4; pixels = pixels[4:] {
		seen[binary.LittleEndian.Uint32(pixels)&0xffffff] = true
	}
	return len(seen), nil
}
