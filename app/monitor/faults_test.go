package monitor

import (
	"syscall"

	"github.com/fsnotify/fsnotify"
)

func noWatcher() (*fsnotify.Watcher, error) { return nil, syscall.EMFILE }
