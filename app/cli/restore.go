package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"rootsmanager/store"
)

func (p *program) restoreCommand() *cobra.Command {
	var empty bool
	c := &cobra.Command{
		Use:   "restore [--empty]",
		Short: "Go on after the profile's file was found damaged",
		Long: "Puts the newest automatic backup in the place of a damaged profile, or, with --empty,\n" +
			"starts with an empty one. The damaged file stays where it was set aside.\n" +
			"A profile that is not damaged is left alone.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.restore(cmd.Context(), empty) },
	}
	c.Flags().BoolVar(&empty, "empty", false, "start with an empty profile instead of the backup")
	return c
}

// restored is the document of `restore --json`.
type restored struct {
	Profile  string `json:"profile"`            // folder of the profile
	Damaged  bool   `json:"damaged"`            // whether there was something to do
	Restored string `json:"restored,omitempty"` // the backup that is in place now
	SetAside string `json:"setAside,omitempty"` // where the damaged file is
}

func (p *program) restore(ctx context.Context, empty bool) error {
	dir, err := p.profileDir()
	if err != nil {
		return err
	}
	result := restored{Profile: dir}
	s, err := store.Open(ctx, dir, p.Store)
	if err == nil {
		if err := s.Close(); err != nil {
			return err
		}
		if p.json {
			return p.document(result)
		}
		return p.tell("The profile in %s is not damaged; nothing was changed.", dir)
	}
	var damage *store.DamagedError
	if !errors.As(err, &damage) {
		return err
	}
	result.Damaged, result.SetAside = true, damage.SetAside
	switch {
	case empty:
		err = store.StartFresh(dir)
	case damage.Backup == "":
		return errors.New("there is no backup that can be read. To start with an empty profile: roots-manager restore --empty")
	default:
		result.Restored = damage.Backup
		err = store.RestoreBackup(ctx, dir, damage.Backup)
	}
	if err != nil {
		return err
	}
	switch {
	case p.json:
		return p.document(result)
	case empty:
		return p.tell("Roots Manager starts with an empty profile. The damaged file stays in %s.", damage.SetAside)
	}
	return p.tell("The backup of %s is in place. The damaged file stays in %s.",
		damage.BackupTime.Local().Format("2 January 2006, 15:04"), damage.SetAside)
}
