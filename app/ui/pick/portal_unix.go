//go:build !windows && !darwin

package pick

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// The desktop portal (org.freedesktop.portal.FileChooser).
const (
	portalName    = "org.freedesktop.portal.Desktop"
	portalPath    = dbus.ObjectPath("/org/freedesktop/portal/desktop")
	portalChooser = "org.freedesktop.portal.FileChooser"
	portalRequest = "org.freedesktop.portal.Request"

	busName = "org.freedesktop.DBus"
)

// The version of FileChooser that knows the option "directory". Older ones
// ignore it and would ask for a file.
const portalFolders = 3

// Results of a portal request.
const (
	portalDone      = 0
	portalCancelled = 1
)

// portal asks through the desktop portal.
func portal(ctx context.Context, req Request) ([]string, error) {
	var paths []string
	err := withBus(ctx, func(conn *dbus.Conn) (err error) {
		paths, err = askPortal(ctx, conn, req)
		return err
	})
	return paths, err
}

func askPortal(ctx context.Context, conn *dbus.Conn, req Request) ([]string, error) {
	service := conn.Object(portalName, portalPath)
	if err := portalAble(ctx, conn, req); err != nil {
		return nil, err
	}
	owner, err := ownerOf(ctx, conn)
	if err != nil {
		return nil, err
	}

	// Subscribed before the call, or a quick answer would be missed. The path
	// of the request is known before it exists; portals older than 0.9 choose
	// another, so the signal is matched against both.
	token := "roots" + rand.Text()
	expected := requestPath(conn.Names()[0], token)
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	defer conn.RemoveSignal(signals)
	quick, done := context.WithTimeout(ctx, serviceStart)
	defer done()
	if err := conn.AddMatchSignalContext(quick, dbus.WithMatchInterface(portalRequest), dbus.WithMatchMember("Response"), dbus.WithMatchSender(portalName)); err != nil {
		return nil, fmt.Errorf("the desktop portal cannot be listened to: %w", err)
	}
	if err := conn.AddMatchSignalContext(quick, dbus.WithMatchInterface(busName), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, portalName)); err != nil {
		return nil, fmt.Errorf("the desktop portal cannot be watched: %w", err)
	}

	method := portalChooser + ".OpenFile"
	if req.Kind == Save {
		method = portalChooser + ".SaveFile"
	}
	var handle dbus.ObjectPath
	err = service.CallWithContext(quick, method, 0, portalParent(req.Parent), req.Title, portalOptions(req, token)).Store(&handle)
	if err != nil {
		if ctx.Err() != nil || quick.Err() != nil {
			closeRequest(conn, expected)
		}
		return nil, fmt.Errorf("the desktop portal cannot show a dialog: %w", err)
	}

	for {
		select {
		case <-ctx.Done():
			closeRequest(conn, handle)
			return nil, ctx.Err()
		case signal, open := <-signals:
			if !open {
				return nil, errors.New("the desktop session bus went away")
			}
			switch {
			case lostOwner(signal, owner):
				return nil, errors.New("the desktop portal went away while its dialog was open")
			case signal.Name == portalRequest+".Response" && signal.Sender == owner &&
				(signal.Path == handle || signal.Path == expected):
				return readResponse(signal)
			}
		}
	}
}

// portalAble tells whether the portal is there and can do what is asked. It
// also starts the portal where the bus has it on call.
func portalAble(ctx context.Context, conn *dbus.Conn, req Request) error {
	quick, done := context.WithTimeout(ctx, serviceStart)
	defer done()
	var version dbus.Variant
	err := conn.Object(portalName, portalPath).CallWithContext(quick, "org.freedesktop.DBus.Properties.Get", 0, portalChooser, "version").Store(&version)
	if err != nil {
		return fmt.Errorf("the desktop portal is not there: %w", err)
	}
	have, ok := version.Value().(uint32)
	if !ok {
		return fmt.Errorf("the desktop portal tells no version (%v)", version)
	}
	if req.Kind == Folders && have < portalFolders {
		return fmt.Errorf("the desktop portal is too old for folders (FileChooser %d, needed %d)", have, portalFolders)
	}
	return nil
}

// ownerOf is the bus connection behind the portal: anybody on the bus may send
// us a signal, only this one's answer counts.
func ownerOf(ctx context.Context, conn *dbus.Conn) (string, error) {
	quick, done := context.WithTimeout(ctx, serviceStart)
	defer done()
	var owner string
	if err := conn.BusObject().CallWithContext(quick, busName+".GetNameOwner", 0, portalName).Store(&owner); err != nil {
		return "", fmt.Errorf("the desktop portal is not there: %w", err)
	}
	return owner, nil
}

func lostOwner(signal *dbus.Signal, owner string) bool {
	if signal.Name != busName+".NameOwnerChanged" || signal.Sender != busName || len(signal.Body) != 3 {
		return false
	}
	name, _ := signal.Body[0].(string)
	old, _ := signal.Body[1].(string)
	return name == portalName && old == owner
}

func requestPath(self, token string) dbus.ObjectPath {
	sender := strings.ReplaceAll(strings.TrimPrefix(self, ":"), ".", "_")
	return dbus.ObjectPath("/org/freedesktop/portal/desktop/request/" + sender + "/" + token)
}

func portalParent(parent string) string {
	if strings.HasPrefix(parent, "x11:") || strings.HasPrefix(parent, "wayland:") {
		return parent
	}
	return ""
}

func portalOptions(req Request, token string) map[string]dbus.Variant {
	options := map[string]dbus.Variant{
		"handle_token": dbus.MakeVariant(token),
		"modal":        dbus.MakeVariant(true),
	}
	switch req.Kind {
	case Folders:
		options["directory"] = dbus.MakeVariant(true)
		options["multiple"] = dbus.MakeVariant(true)
	case Files:
		options["multiple"] = dbus.MakeVariant(true)
	case Save:
		if req.Suggested == "" {
			break
		}
		options["current_name"] = dbus.MakeVariant(strings.ToValidUTF8(filepath.Base(req.Suggested), "_"))
		if filepath.IsAbs(req.Suggested) {
			options["current_folder"] = dbus.MakeVariant(append([]byte(filepath.Dir(req.Suggested)), 0))
		}
	}
	return options
}

func readResponse(signal *dbus.Signal) ([]string, error) {
	var result uint32
	var values map[string]dbus.Variant
	if err := dbus.Store(signal.Body, &result, &values); err != nil {
		return nil, fmt.Errorf("the desktop portal's answer cannot be read: %w", err)
	}
	switch result {
	case portalDone:
	case portalCancelled:
		return nil, ErrCancelled
	default:
		return nil, fmt.Errorf("the desktop portal ended its dialog without an answer (result %d)", result)
	}
	uris, ok := values["uris"].Value().([]string)
	if !ok {
		return nil, errors.New("the desktop portal's answer names no place")
	}
	paths := make([]string, 0, min(len(uris), MaxPaths+1))
	for _, uri := range uris {
		path, err := pathOfURI(uri)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// closeRequest takes the dialog away. The portal may have done so itself, so
// its answer does not matter.
func closeRequest(conn *dbus.Conn, handle dbus.ObjectPath) {
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	conn.Object(portalName, handle).CallWithContext(ctx, portalRequest+".Close", 0)
}
