package ask

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"rootsmanager/app"
	"rootsmanager/store"
)

// spec is the form as it stands, without any check of its meaning.
func (f *serverForm) spec() (app.ServerSpec, error) {
	var spec app.ServerSpec
	if f.opts.Edit != nil {
		spec = f.opts.Edit.Spec()
	} else {
		spec.Enabled = true
	}
	if f.name != nil {
		spec.Name = strings.TrimSpace(f.name.Text)
	}
	if f.more != nil {
		f.more.into(&spec)
	}
	if f.remote {
		spec.Command, spec.Args, spec.Dir, spec.Env = "", nil, "", nil
		spec.Channel, spec.NoRestart = "", false
		spec.URL = strings.TrimSpace(f.url.Text)
		spec.Headers = f.headers.vars()
		spec.Transport = store.HTTP
		if f.transport.Selected == 1 {
			spec.Transport = store.SSE
		}
		return spec, nil
	}
	spec.URL, spec.Headers, spec.Transport = "", nil, store.Stdio
	if f.dir != nil {
		spec.Dir = strings.TrimSpace(f.dir.Text)
	}
	if f.channel != nil {
		if c := store.Channels()[f.channel.Selected]; c != store.ChannelAuto || spec.Channel != "" {
			spec.Channel = c
		}
		spec.NoRestart = !f.restart.Checked()
	}
	if f.env != nil {
		spec.Env = f.env.vars()
	}
	words, err := splitWords(f.command.Text, windows())
	if err != nil {
		return spec, err
	}
	spec.Command, spec.Args = "", nil
	if len(words) > 0 {
		spec.Command, spec.Args = words[0], words[1:]
	}
	return spec, nil
}

// check says beside each field what is wrong with it and what to do, and puts
// the focus on the first. What it lets pass the engine checks again.
func (f *serverForm) check() (app.ServerSpec, bool) {
	spec, err := f.spec()
	ok := true
	wrong := func(where *field, first fyne.Focusable, text string) {
		where.say(text)
		if ok {
			f.win.Canvas().Focus(first)
		}
		ok = false
	}
	if f.remote {
		f.urlField.say("")
		if text := urlProblem(spec.URL); text != "" {
			wrong(f.urlField, f.url, text)
		}
		if row, text := f.headers.problem(); text != "" {
			wrong(f.headers.field, row, text)
		}
	} else {
		f.commandField.warn(surprise(append([]string{spec.Command}, spec.Args...)))
		f.dirField.say("")
		switch {
		case err != nil:
			wrong(f.commandField, f.command, sentence(err))
		case spec.Command == "":
			wrong(f.commandField, f.command, lang.L("Write the command that starts the server, for example: npx -y @modelcontextprotocol/server-filesystem"))
		}
		if spec.Dir != "" && !filepath.IsAbs(spec.Dir) {
			wrong(f.dirField, f.dir, lang.L("Write the whole path of the folder, from its beginning, or leave it empty for your home folder."))
		}
		if row, text := f.env.problem(); text != "" {
			wrong(f.env.field, row, text)
		}
	}
	f.nameField.say("")
	if n := len([]rune(spec.Name)); n > 80 || visible(spec.Name) != spec.Name {
		wrong(f.nameField, f.name, lang.L("A name has at most 80 characters, all of them visible."))
	}
	return spec, ok
}

func urlProblem(text string) string {
	if text == "" {
		return lang.L("Write the address of the server, for example: https://example.com/mcp")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return lang.L("This is not a web address: it begins with https:// or http:// and the name of a computer.")
	case u.User != nil:
		return lang.L("Do not write a password into the address: add it as a header and mark it as secret.")
	}
	return ""
}

var (
	envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// headerName is a token of RFC 9110, section 5.6.2.
	headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	// secretName matches names whose values are usually secret.
	secretName = regexp.MustCompile(`(?i)token|secret|passw|api_?-?key|authorization|cookie|credential|private_?key`)
)

// nameProblem says what is wrong with the name of a variable or header.
func nameProblem(name string, header bool) string {
	switch {
	case header && !headerName.MatchString(name):
		return lang.L("“{{.Name}}” is no name for a header: use a word such as Authorization.", map[string]any{"Name": visible(name)})
	case !header && !envName.MatchString(name):
		return lang.L("“{{.Name}}” is no name for a variable: use letters, digits and _, such as API_URL.", map[string]any{"Name": visible(name)})
	}
	return ""
}
