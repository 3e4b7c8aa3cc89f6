package ask

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"

	"rootsmanager/app"
	"rootsmanager/app/ui/look"
	"rootsmanager/store"
)

// AddServerOptions are the parts of [AddServer]. Submit is required.
type AddServerOptions struct {
	// Edit is the server to be changed; nil adds one. Values of its secrets are
	// not shown: left empty, they stay as they are.
	Edit *app.ServerView
	// Submit adds or changes the server. It is called off the Fyne goroutine
	// and ends with its context. Its error is shown in the form, which then
	// stays open.
	Submit func(context.Context, app.ServerSpec) error
	// ChooseFolder asks for a working folder, off the Fyne goroutine; an error
	// that is ErrNothing says that none was chosen. nil: there is no button.
	ChooseFolder func(context.Context) (string, error)
	// Propose names a server from what runs; it is shown as the name that is
	// taken if none is typed. It is called with every key. nil: none is shown.
	Propose func(app.ServerSpec) string
	// BuiltIn is the command line of the built-in server, for a link that
	// fills it in. Empty: there is no link.
	BuiltIn []string
	// Done is called after the form closed; added tells whether Submit was
	// done.
	Done func(added bool)
}

// ErrNothing is what a callback returns when the person chose nothing.
var ErrNothing = errors.New("nothing was chosen")

// AddServer asks for what to run or contact. Nothing is started by it: the
// server waits for approval. The returned function takes the form away.
func AddServer(win fyne.Window, opts AddServerOptions) (close func()) {
	return newServerForm(win, opts, systemClock{}).close
}

// serverForm is the form while it is open.
type serverForm struct {
	*modal
	opts   AddServerOptions
	remote bool   // a web address, not a command
	stop   func() // calls off what Submit does now

	stopping bool

	byCommand, byURL     *button
	command, dir         *entry
	url, name            *entry
	transport, channel   *options
	restart              *tick // a change of folders restarts it
	commandBox, urlBox   *fyne.Container
	commandField         *field
	dirField, urlField   *field
	nameField            *field
	channelField         *field
	env, headers         *varRows
	more                 *more
	chips                *fyne.Container
	status               *look.Text
	cancel, add, builtIn *button
}

func newServerForm(win fyne.Window, opts AddServerOptions, clk clock) *serverForm {
	f := &serverForm{modal: &modal{win: win, clk: clk, width: wide}, opts: opts}
	f.escape = f.leave
	f.enter = f.submit
	var was app.ServerSpec
	title, lead, do := lang.L("Add a server"), lang.L("A program on this computer, or a web address. Nothing starts before you approve it."), lang.L("Add server")
	if opts.Edit != nil {
		was = opts.Edit.Spec()
		f.remote = was.URL != ""
		title, do = lang.L("Edit “{{.Name}}”", map[string]any{"Name": visible(was.Name)}), lang.L("Save")
		lead = lang.L("What would run differently is asked for again before it starts.")
	}
	f.head = heading(title, lead)
	f.build(was)
	f.status = look.NewSmall("")
	f.status.Fit = look.FitWrap
	f.cancel = f.button(lang.L("Cancel"), look.Secondary, f.leave)
	f.add = f.button(do, look.Primary, f.submit)
	f.foot = look.Stretch(look.GapMedium, 0, f.status, f.cancel, f.add)
	f.choose(f.remote)
	f.commandTyped()
	first := f.command
	if f.remote {
		first = f.url
	}
	f.show(first)
	return f
}

func (f *serverForm) build(was app.ServerSpec) {
	f.byCommand = f.button(lang.L("A command"), look.Secondary, func() { f.choose(false) })
	f.byURL = f.button(lang.L("A web address"), look.Secondary, func() { f.choose(true) })
	kinds := []fyne.CanvasObject{f.byCommand, f.byURL, layout.NewSpacer()}
	if len(f.opts.BuiltIn) > 0 && f.opts.Edit == nil {
		f.builtIn = f.button(lang.L("Try the built-in server"), look.Link, f.fillBuiltIn)
		kinds = append(kinds, f.builtIn)
	}

	f.command = f.entry("", "npx -y @modelcontextprotocol/server-filesystem", f.submit).several(2)
	f.command.TextStyle = mono
	if was.Command != "" {
		f.command.Wrapping = fyne.TextWrapOff // commandTyped decides
		f.command.SetText(joinWords(append([]string{was.Command}, was.Args...), windows()))
	}
	f.command.OnChanged = func(string) { f.commandTyped() }
	f.chips = container.New(&flow{gap: 6})
	f.commandField = newField(lang.L("Command"), "", look.Column(look.Gap, f.command, f.chips))

	f.dir = f.entry(was.Dir, lang.L("Your home folder"), f.submit)
	place := fyne.CanvasObject(f.dir)
	if f.opts.ChooseFolder != nil {
		place = look.Stretch(look.Gap, 0, f.dir, f.button(lang.L("Choose…"), look.Secondary, f.chooseFolder))
	}
	f.dirField = newField(lang.L("Working folder"), "", place)
	f.env = newVarRows(f, false, was.Env)
	f.channel = f.options([]string{lang.L("Automatic"), lang.L("Roots"), lang.L("In its command"), lang.L("In its environment"), lang.L("As its working folder")},
		max(0, slices.Index(store.Channels(), was.Channel)))
	f.restart = &tick{m: f.modal}
	f.restart.Text = lang.L("restart it when they change")
	f.restart.ExtendBaseWidget(f.restart)
	set := func(on bool) {
		state := look.TickOff
		if on {
			state = look.TickOn
		}
		f.restart.SetState(state)
	}
	set(!was.NoRestart)
	f.restart.OnTapped = func() { set(!f.restart.Checked()) }
	f.channelField = newField(lang.L("How it is told"), "", look.Row(look.GapMedium, f.channel, f.restart, layout.NewSpacer()))
	f.channel.Changed = func(int) {
		f.explainChannel()
		f.relayout()
	}
	f.explainChannel()
	f.commandBox = look.Column(gap, f.commandField.box, f.dirField.box, f.env.field.box, f.channelField.box)

	f.url = f.entry(was.URL, "https://example.com/mcp", f.submit)
	f.url.OnChanged = func(string) {
		f.urlField.say("")
		f.proposeName()
	}
	f.urlField = newField(lang.L("Address"), "", f.url)
	selected := 0
	if was.Transport == store.SSE {
		selected = 1
	}
	f.transport = f.options([]string{lang.L("Automatic"), lang.L("SSE, for older servers")}, selected)
	f.headers = newVarRows(f, true, was.Headers)
	f.urlBox = look.Column(gap, f.urlField.box,
		newField(lang.L("How it is spoken to"), "", look.Row(0, f.transport, layout.NewSpacer())).box, f.headers.field.box)

	f.name = f.entry(was.Name, "", f.submit)
	f.name.OnChanged = func(string) { f.nameField.say("") }
	f.nameField = newField(lang.L("Name"), "", f.name)
	f.more = f.newMore(was)
	f.scrolled(look.Column(gap, look.Row(look.Gap, kinds...), f.commandBox, f.urlBox, f.nameField.box,
		look.Row(0, f.more.open, layout.NewSpacer()), f.more.box))
}

// explainChannel says in one line what the chosen way of telling means.
func (f *serverForm) explainChannel() {
	setVisible(f.restart, f.channel.Selected != 1) // what is only told is never restarted for it
	f.channelField.hint = map[store.Channel]string{
		store.ChannelAuto:      lang.L("It is told when it asks. ${roots} in its command, and ${roots:pathsep} in a value, stand for its folders."),
		store.ChannelRoots:     lang.L("It is told when it asks, and its command stays as it is."),
		store.ChannelArguments: lang.L("For servers that never ask: folders take the place of ${roots}, or the end of the command. A change restarts it."),
		store.ChannelEnv:       lang.L("For servers that never ask: give a variable the value ${roots:pathsep} or ${roots:json}. A change restarts it."),
		store.ChannelDir:       lang.L("For servers that never ask: it is started in the first folder you tick. A change restarts it."),
	}[store.Channels()[f.channel.Selected]]
	f.channelField.say("")
}

// choose shows the fields of a command or of a web address.
func (f *serverForm) choose(remote bool) {
	f.remote = remote
	setVisible(f.commandBox, !remote)
	setVisible(f.urlBox, remote)
	f.byCommand.Kind, f.byURL.Kind = look.Safe, look.Secondary
	if remote {
		f.byCommand.Kind, f.byURL.Kind = look.Secondary, look.Safe
	}
	f.byCommand.Refresh()
	f.byURL.Refresh()
	f.proposeName()
	f.relayout()
}

// commandTyped shows how the command is taken apart.
func (f *serverForm) commandTyped() {
	// Fyne takes seconds to wrap thousands of characters without a space.
	wrap := fyne.TextWrapBreak
	if len(f.command.Text) > 1000 {
		wrap = fyne.TextWrapOff
	}
	if f.command.Wrapping != wrap {
		f.command.Wrapping = wrap
		f.command.Refresh()
	}
	words, err := splitWords(f.command.Text, windows())
	f.chips.Objects = nil
	switch {
	case err != nil:
		f.commandField.warn(sentence(err))
	default:
		f.commandField.warn(surprise(words))
		if len(words) > 1 {
			f.chips.Objects = chips(words)
		}
	}
	setVisible(f.chips, len(f.chips.Objects) > 0)
	f.chips.Refresh()
	f.proposeName()
	f.relayout()
}

func (f *serverForm) proposeName() {
	proposed := lang.L("Taken from the command or address if left empty")
	if f.opts.Propose != nil {
		if spec, _ := f.spec(); spec.Command != "" || spec.URL != "" {
			if name := f.opts.Propose(spec); name != "" {
				proposed = name
			}
		}
	}
	if f.name != nil && f.name.PlaceHolder != proposed {
		f.name.SetPlaceHolder(proposed)
	}
}

func (f *serverForm) fillBuiltIn() {
	f.choose(false)
	f.command.SetText(joinWords(f.opts.BuiltIn, windows()))
	f.name.SetText(lang.L("Built-in server"))
	f.win.Canvas().Focus(f.add)
}

func (f *serverForm) chooseFolder() {
	var chosen string
	f.work(func(ctx context.Context) (err error) {
		chosen, err = f.opts.ChooseFolder(ctx)
		return err
	}, func(err error) {
		switch {
		case errors.Is(err, ErrNothing):
		case err != nil:
			f.dirField.say(sentence(err))
		default:
			f.dir.SetText(chosen)
			f.dirField.say("")
		}
		f.relayout()
	})
}

// leave calls off what runs; otherwise, or the second time, it closes the form.
func (f *serverForm) leave() {
	if f.stop != nil && !f.stopping {
		f.stopping = true
		f.stop()
		return
	}
	f.finish(false)
}

func (f *serverForm) finish(added bool) {
	if f.closed {
		return
	}
	f.close()
	if f.opts.Done != nil {
		f.opts.Done(added)
	}
}

// submit checks the form and hands it on.
func (f *serverForm) submit() {
	if f.stop != nil || f.closed {
		return
	}
	spec, ok := f.check()
	f.relayout()
	if !ok {
		return
	}
	f.busy(true)
	stop := f.work(func(ctx context.Context) error { return f.opts.Submit(ctx, spec) }, func(err error) {
		f.busy(false)
		switch {
		case err == nil:
			f.finish(true)
		case errors.Is(err, context.Canceled):
			f.status.Set(lang.L("Called off. Nothing was changed."), look.ColorMuted)
		default:
			f.status.Set(sentence(err), look.ColorError)
		}
		f.relayout()
	})
	if !f.closed && f.add.Disabled() {
		f.stop = stop
	}
}

func (f *serverForm) busy(on bool) {
	f.stop, f.stopping = nil, false
	if on {
		f.status.Set(lang.L("Saving…"), look.ColorMuted)
		f.add.Disable()
		return
	}
	f.status.Set("", look.ColorMuted)
	f.add.Enable()
}

func windows() bool { return runtime.GOOS == "windows" }

// sentence makes an error's text one that begins and ends like a sentence.
func sentence(err error) string {
	s := strings.TrimSpace(visible(err.Error()))
	if s == "" {
		return lang.L("Something went wrong, and it did not say what.")
	}
	r := []rune(s)
	s = strings.ToUpper(string(r[0])) + string(r[1:])
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, "!") {
		s += "."
	}
	return s
}
