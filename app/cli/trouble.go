package cli

import (
	"context"
	"errors"

	"rootsmanager/store"
)

// Trouble is why the window cannot be shown, for a person who started the
// program from the desktop and sees no terminal.
type Trouble struct {
	Text    string   // what is wrong and what can be done, in sentences
	Actions []string // what can be done about it, as buttons; may be empty
}

// inTrouble shows, in a small window, why the profile cannot be opened. When
// the person chose a way on, it returns nil and the program starts again.
func (p *program) inTrouble(ctx context.Context, dir string, cause error) error {
	if p.Trouble == nil || p.keys.present() {
		return cause
	}
	var damage *store.DamagedError
	if !errors.As(cause, &damage) {
		_, err := p.Trouble(ctx, Trouble{Text: cause.Error()})
		return errors.Join(cause, err)
	}
	var ways []func() error
	var actions []string
	if damage.Backup != "" {
		actions = append(actions, "Restore the backup of "+damage.BackupTime.Local().Format("2 Jan 2006, 15:04"))
		ways = append(ways, func() error { return store.RestoreBackup(ctx, dir, damage.Backup) })
	}
	actions = append(actions, "Start with an empty profile")
	ways = append(ways, func() error { return store.StartFresh(dir) })
	chosen, err := p.Trouble(ctx, Trouble{
		Text:    damage.Error(),
		Actions: actions,
	})
	if err != nil || chosen < 0 {
		return errors.Join(cause, err)
	}
	if err := ways[chosen](); err != nil {
		return err
	}
	return p.Again()
}
