package pick

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/go-ole/go-ole"
	"golang.org/x/sys/windows"
)

func systemSteps() []step {
	return []step{{"system", fileDialog}}
}

// Class and interface numbers of the common item dialog (shobjidl_core.h).
var (
	clsidOpenDialog = ole.NewGUID("{DC1C5A9C-E88A-4DDE-A5A1-60F82A20AEF7}")
	clsidSaveDialog = ole.NewGUID("{C0B4E2F3-BA21-4773-8DBA-335EC946EB8B}")
	iidOpenDialog   = ole.NewGUID("{D57C7288-D4AD-4768-BE02-9D969532D960}")
	iidSaveDialog   = ole.NewGUID("{84BCCD23-5FDE-4CDB-AEA4-AF64B83D78AB}")
	iidShellItem    = ole.NewGUID("{43826D1E-E718-42EE-BC55-A1E261C37BFE}")
)

// FILEOPENDIALOGOPTIONS
const (
	fosOverwritePrompt  = 0x2
	fosPickFolders      = 0x20
	fosForceFileSystem  = 0x40
	fosAllowMultiselect = 0x200
	fosPathMustExist    = 0x800
	fosFileMustExist    = 0x1000
	fosDontAddToRecent  = 0x2000000
)

// Places in the tables of the interfaces, after IUnknown's three.
const (
	dialogShow        = 3
	dialogSetOptions  = 9
	dialogGetOptions  = 10
	dialogSetFolder   = 12
	dialogSetFileName = 15
	dialogSetTitle    = 17
	dialogGetResult   = 20
	dialogGetResults  = 27
	itemGetName       = 5
	arrayGetCount     = 7
	arrayGetItemAt    = 8
)

const (
	sigdnFileSysPath = 0x80058000
	hrCancelled      = 0x800704C7 // HRESULT_FROM_WIN32(ERROR_CANCELLED)
	wmClose          = 0x0010
	coApartment      = 0x2 // COINIT_APARTMENTTHREADED
	coNoOLE1DDE      = 0x4
	hrFalse          = 1 // S_FALSE: COM was initialised already
)

// closeEvery paces the attempts to close a dialog that is still being built.
const closeEvery = 100 * time.Millisecond

var (
	user32                  = windows.NewLazySystemDLL("user32.dll")
	procEnumThreadWindows   = user32.NewProc("EnumThreadWindows")
	procPostMessage         = user32.NewProc("PostMessageW")
	procCreateItemFromParse = windows.NewLazySystemDLL("shell32.dll").NewProc("SHCreateItemFromParsingName")
)

// fileDialog shows the dialog on a thread of its own, because it belongs to a
// single-threaded apartment, and waits for that thread to end.
func fileDialog(ctx context.Context, req Request) ([]string, error) {
	type result struct {
		paths []string
		err   error
	}
	thread := make(chan uint32, 1)
	ended := make(chan result, 1)
	go func() {
		// Never unlocked: the thread ends with the goroutine and leaves no
		// apartment behind for others.
		runtime.LockOSThread()
		thread <- windows.GetCurrentThreadId()
		paths, err := showDialog(req)
		ended <- result{paths, err}
	}()
	id := <-thread
	select {
	case r := <-ended:
		return r.paths, r.err
	case <-ctx.Done():
	}
	// The dialog may not have its window yet: ask until the thread has ended.
	retry := time.NewTicker(closeEvery)
	defer retry.Stop()
	for {
		closeWindows(id)
		select {
		case <-ended:
			return nil, ctx.Err()
		case <-retry.C:
		}
	}
}

func showDialog(req Request) ([]string, error) {
	if err := ole.CoInitializeEx(0, coApartment|coNoOLE1DDE); err != nil {
		var code *ole.OleError
		if !errors.As(err, &code) || code.Code() != hrFalse {
			return nil, fmt.Errorf("the system's dialog is not to be had: %w", err)
		}
	}
	defer ole.CoUninitialize()

	class, iface := clsidOpenDialog, iidOpenDialog
	if req.Kind == Save {
		class, iface = clsidSaveDialog, iidSaveDialog
	}
	dialog, err := ole.CreateInstance(class, iface)
	if err != nil {
		return nil, fmt.Errorf("the system's dialog is not to be had: %w", err)
	}
	defer dialog.Release()
	if err := prepare(dialog, req); err != nil {
		return nil, err
	}
	switch hr := call(dialog, dialogShow, parentWindow(req.Parent)); {
	case hr == hrCancelled:
		return nil, ErrCancelled
	case failed(hr):
		return nil, fmt.Errorf("the system's dialog could not be shown: %w", ole.NewError(hr))
	}
	if req.Kind == Save {
		var item *ole.IUnknown
		if hr := call(dialog, dialogGetResult, uintptr(unsafe.Pointer(&item))); failed(hr) {
			return nil, fmt.Errorf("the system dialog's answer cannot be read: %w", ole.NewError(hr))
		}
		defer item.Release()
		path, err := itemPath(item)
		return []string{path}, err
	}
	return results(dialog)
}

func prepare(dialog *ole.IUnknown, req Request) error {
	var options uint32
	if hr := call(dialog, dialogGetOptions, uintptr(unsafe.Pointer(&options))); failed(hr) {
		return fmt.Errorf("the system's dialog could not be set up: %w", ole.NewError(hr))
	}
	options |= fosForceFileSystem | fosPathMustExist | fosDontAddToRecent
	switch req.Kind {
	case Folders:
		options |= fosPickFolders | fosAllowMultiselect
	case Files:
		options |= fosFileMustExist | fosAllowMultiselect
	case Save:
		options |= fosOverwritePrompt
	}
	if hr := call(dialog, dialogSetOptions, uintptr(options)); failed(hr) {
		return fmt.Errorf("the system's dialog could not be set up: %w", ole.NewError(hr))
	}
	if err := setText(dialog, dialogSetTitle, req.Title); err != nil {
		return err
	}
	if req.Kind != Save || req.Suggested == "" {
		return nil
	}
	if filepath.IsAbs(req.Suggested) {
		setFolder(dialog, filepath.Dir(req.Suggested))
	}
	return setText(dialog, dialogSetFileName, filepath.Base(req.Suggested))
}

func setText(dialog *ole.IUnknown, place int, text string) error {
	wide, err := windows.UTF16PtrFromString(text)
	if err != nil {
		return fmt.Errorf("the dialog's text %q cannot be shown: %w", text, err)
	}
	hr := call(dialog, place, uintptr(unsafe.Pointer(wide)))
	runtime.KeepAlive(wide)
	if failed(hr) {
		return fmt.Errorf("the system's dialog could not be set up: %w", ole.NewError(hr))
	}
	return nil
}

// setFolder proposes where to start. A folder that is gone is no reason not to
// ask: the dialog then starts where it was last.
func setFolder(dialog *ole.IUnknown, folder string) {
	wide, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return
	}
	var item *ole.IUnknown
	hr, _, _ := procCreateItemFromParse.Call(uintptr(unsafe.Pointer(wide)), 0, uintptr(unsafe.Pointer(iidShellItem)), uintptr(unsafe.Pointer(&item)))
	if failed(hr) || item == nil {
		return
	}
	defer item.Release()
	call(dialog, dialogSetFolder, uintptr(unsafe.Pointer(item)))
}

func results(dialog *ole.IUnknown) ([]string, error) {
	var items *ole.IUnknown
	if hr := call(dialog, dialogGetResults, uintptr(unsafe.Pointer(&items))); failed(hr) {
		return nil, fmt.Errorf("the system dialog's answer cannot be read: %w", ole.NewError(hr))
	}
	defer items.Release()
	var count uint32
	if hr := call(items, arrayGetCount, uintptr(unsafe.Pointer(&count))); failed(hr) {
		return nil, fmt.Errorf("the system dialog's answer cannot be read: %w", ole.NewError(hr))
	}
	if count > MaxPaths {
		return nil, &answerError{fmt.Sprintf("%d places were chosen, and at most %d can be taken at once.", count, MaxPaths)}
	}
	paths := make([]string, 0, count)
	for i := range count {
		var item *ole.IUnknown
		if hr := call(items, arrayGetItemAt, uintptr(i), uintptr(unsafe.Pointer(&item))); failed(hr) {
			return nil, fmt.Errorf("the system dialog's answer cannot be read: %w", ole.NewError(hr))
		}
		path, err := itemPath(item)
		item.Release()
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func itemPath(item *ole.IUnknown) (string, error) {
	var wide *uint16
	if hr := call(item, itemGetName, sigdnFileSysPath, uintptr(unsafe.Pointer(&wide))); failed(hr) {
		return "", &answerError{"A chosen place has no path on this computer: choose another."}
	}
	defer windows.CoTaskMemFree(unsafe.Pointer(wide))
	return windows.UTF16PtrToString(wide), nil
}

// call calls the method at a place of the object's table. The pragma keeps what
// the arguments point to in its place until the call is over.
//
//go:uintptrescapes
func call(object *ole.IUnknown, place int, args ...uintptr) uintptr {
	table := (*[32]uintptr)(unsafe.Pointer(object.RawVTable))
	all := append([]uintptr{uintptr(unsafe.Pointer(object))}, args...)
	hr, _, _ := syscall.SyscallN(table[place], all...)
	runtime.KeepAlive(object)
	return hr & 0xFFFFFFFF
}

func failed(hr uintptr) bool { return int32(uint32(hr)) < 0 }

func parentWindow(parent string) uintptr {
	hex, ok := strings.CutPrefix(parent, "win32:")
	if !ok {
		return 0
	}
	handle, err := strconv.ParseUint(hex, 16, 64)
	if err != nil {
		return 0
	}
	return uintptr(handle)
}

// closeCallback is made once: callbacks into Go are never given back.
var closeCallback = sync.OnceValue(func() uintptr {
	return windows.NewCallback(func(window, _ uintptr) uintptr {
		procPostMessage.Call(window, wmClose, 0, 0)
		return 1
	})
})

func closeWindows(thread uint32) {
	procEnumThreadWindows.Call(uintptr(thread), closeCallback(), 0)
}
