package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rootsmanager/app"
	"rootsmanager/app/aiapps"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// importedServers is the document of `aiapps import --json`.
type importedServers struct {
	Servers []importedServer `json:"servers"` // those a person did not decline
}

type importedServer struct {
	Name    string   `json:"name"`
	Source  string   `json:"source"`
	Keyring []string `json:"keyring,omitempty"` // names of variables and headers whose values went to the keyring
	LeftOut []string `json:"leftOut,omitempty"` // names of those that were not taken over
	Roots   []string `json:"roots"`             // folders that can be ticked now; none is allowed yet
}

func (p *program) importAIApps(ctx context.Context, project string, refs []string) error {
	inv, err := p.readAIApps(ctx, project)
	if err != nil {
		return err
	}
	p.sayBroken(inv)
	chosen, err := chosenProposals(inv, refs)
	if err != nil {
		return err
	}
	doc := importedServers{Servers: []importedServer{}}
	declined := false
	err = p.with(ctx, func(e *app.Engine, _ *app.Snapshot) error {
		for _, proposal := range chosen {
			imported, yes, err := p.importOne(ctx, e, proposal)
			if err != nil {
				return err
			}
			if !yes {
				declined = true
				continue
			}
			doc.Servers = append(doc.Servers, imported)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if p.json {
		if err := p.document(doc); err != nil {
			return err
		}
	}
	if declined {
		return errQuiet
	}
	return nil
}

// importOne previews one server, asks, and adds it turned off. It reports false
// when the person declined.
func (p *program) importOne(ctx context.Context, e *app.Engine, proposal aiapps.Proposal) (importedServer, bool, error) {
	imported := importedServer{Source: proposal.From.App + " (" + app.Short(proposal.From.File) + ")", Roots: []string{}}
	name, err := importName(e.Snapshot(), proposal, imported.Source)
	if err != nil {
		return imported, false, err
	}
	p.say("%s", previewText(proposal, imported.Source))
	if p.keys.present() {
		yes, err := p.keys.confirm(ctx, "Import it?")
		if err != nil {
			return imported, false, err
		}
		if !yes {
			p.say("%s is not imported.", plain(proposal.Name))
			return imported, false, nil
		}
	}
	spec := app.ServerSpec{
		Name: name, Command: proposal.Command, Args: proposal.Args, Dir: proposal.Dir, URL: proposal.URL,
		Transport: store.Transport(proposal.Transport), Source: imported.Source, Enabled: false,
	}
	if err := p.importSecrets(ctx, proposal, &spec, &imported); err != nil {
		return imported, false, err
	}
	id, err := e.AddServer(ctx, spec)
	if err != nil {
		return imported, false, fmt.Errorf("%s from %s cannot be imported: %w", plain(proposal.Name), imported.Source, err)
	}
	imported.Name = name
	if err := p.tell("Imported %s: turned off, and not approved. To use it: roots-manager server on %s", plain(name), app.Quote([]string{name})); err != nil {
		return imported, true, err
	}
	err = p.importRoots(ctx, e, id, proposal, &imported)
	return imported, true, err
}

// importName is the name the server gets here.
func importName(snap *app.Snapshot, proposal aiapps.Proposal, source string) (string, error) {
	taken := func(name string) bool {
		return slices.ContainsFunc(snap.Servers, func(s app.ServerView) bool { return strings.EqualFold(s.Name, name) })
	}
	for _, s := range snap.Servers {
		if s.Source == source && s.Command == proposal.Command && slices.Equal(s.Args, proposal.Args) && s.URL == proposal.URL {
			return "", fmt.Errorf("%s was imported already: here it is called %s", plain(proposal.Name), s.Name)
		}
	}
	name := proposal.Name
	if taken(name) {
		name += " (" + proposal.From.App + ")"
	}
	return name, nil // a name that is taken all the same is refused with a sentence
}

func previewText(proposal aiapps.Proposal, source string) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-16s%s\n", name, plain(value))
		}
	}
	l := listEntry(&proposal.From)
	fmt.Fprintf(&b, "\n%s\n\n", plain(proposal.Name))
	if l.URL != "" {
		line("Address", l.URL)
	} else {
		line("Command", app.Quote(l.Command))
	}
	line("Working folder", l.Cwd)
	for i, v := range slices.Concat(l.Env, l.Headers) {
		name, value := "", v.Value
		if i == 0 {
			name = "Environment"
			if l.URL != "" {
				name = "Headers"
			}
		}
		if v.Secret {
			value = "(secret)"
		}
		fmt.Fprintf(&b, "  %-16s%s=%s\n", name, plain(v.Name), plain(value))
	}
	line("Comes from", source)
	for _, d := range proposal.Differences {
		for i, o := range proposal.Also {
			if d.Values[i+1] != d.Values[0] {
				fmt.Fprintf(&b, "\n  Not so in %s: %s is %q there.\n", o.App, plain(d.Field), plain(d.Values[i+1]))
			}
		}
	}
	if len(proposal.Variables) > 0 {
		fmt.Fprintf(&b, "\n  Careful: %s cannot be filled in here.\n    Edit the server in the window before you approve it.\n", plain(strings.Join(proposal.Variables, ", ")))
	}
	if len(proposal.From.Secrets) > 0 {
		b.WriteString("\n  Careful: an argument looks like a password or token.\n    It is kept in the profile as it is; better move it to a variable marked as secret.\n")
	}
	return b.String()
}

// importSecrets fills in variables and headers. Secrets go to the keyring if the
// person agrees; otherwise they are left out.
func (p *program) importSecrets(ctx context.Context, proposal aiapps.Proposal, spec *app.ServerSpec, imported *importedServer) error {
	var secret []string
	for _, v := range slices.Concat(proposal.Env, proposal.Headers) {
		if v.Secret {
			secret = append(secret, v.Name)
		}
	}
	agreed := false
	if len(secret) > 0 && p.keys.present() {
		var err error
		agreed, err = p.keys.confirm(ctx, fmt.Sprintf("Keep the value of %s in your system's keyring? Otherwise it is left out.", plain(strings.Join(secret, ", "))))
		if err != nil {
			return err
		}
	}
	take := func(vars []aiapps.Var) []store.Var {
		var taken []store.Var
		for _, v := range vars {
			if !v.Secret || agreed {
				taken = append(taken, store.Var{Name: v.Name, Value: v.Value, Secret: v.Secret})
			}
		}
		return taken
	}
	spec.Env, spec.Headers = take(proposal.Env), take(proposal.Headers)
	if agreed {
		imported.Keyring = secret
	} else if len(secret) > 0 {
		imported.LeftOut = secret
		p.say("Left out, as only a person can put it into the keyring: %s. Add it in the window.", plain(strings.Join(secret, ", ")))
	}
	return nil
}

// importRoots offers the folders that a server was given as arguments. Assigned
// they wait for consent: the person allows them where the server is shown.
func (p *program) importRoots(ctx context.Context, e *app.Engine, id store.ServerID, proposal aiapps.Proposal, imported *importedServer) error {
	for _, f := range proposal.Roots {
		if !p.keys.present() {
			p.say("%s was given to it as an argument. To make it a folder you can tick: roots-manager root add %s", plain(f.Path), app.Quote([]string{f.Path}))
			continue
		}
		yes, err := p.keys.confirm(ctx, fmt.Sprintf("%s was given to this server as an argument. Make it a folder you can tick?", plain(f.Path)))
		if err != nil {
			return err
		}
		if !yes {
			continue
		}
		if err := p.importRoot(ctx, e, id, f.Path); err != nil {
			if errors.Is(err, ctx.Err()) && ctx.Err() != nil {
				return err
			}
			p.say("%v", err) // the server is imported all the same
			continue
		}
		imported.Roots = append(imported.Roots, f.Path)
	}
	if len(imported.Roots) > 0 {
		p.say("The server is still given these folders as arguments when it starts. If only your ticks shall count, remove them from its command in the window.")
	}
	return nil
}

func (p *program) importRoot(ctx context.Context, e *app.Engine, id store.ServerID, path string) error {
	check, err := e.InspectRoot(ctx, path)
	if err != nil {
		return err
	}
	at, known := knownRoot(e.Snapshot(), check)
	if !known {
		if at, err = p.addChecked(ctx, e, check, ""); err != nil {
			return err
		}
	}
	if err := e.AssignOnly(ctx, []app.Tick{{Server: id, Root: at, On: true, Access: root.ReadOnly}}); err != nil {
		return err
	}
	return p.tell("Assigned %s, read-only; it waits for your consent", plain(check.Path))
}
