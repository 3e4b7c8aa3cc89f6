package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rootsmanager/app"
	"rootsmanager/app/root"
	"rootsmanager/store"
)

// asker puts the engine's questions to the person at the terminal, one at a
// time.
type asker struct {
	p    *program
	e    *app.Engine
	news <-chan *app.Snapshot
	gone bool // the terminal's input ended: every question is answered with not now

	settled map[app.PromptID]bool // answered or withdrawn; an older snapshot may still hold them
}

func newAsker(p *program, e *app.Engine, news <-chan *app.Snapshot) *asker {
	return &asker{p: p, e: e, news: news, settled: make(map[app.PromptID]bool)}
}

// askAll asks until no question is left.
func (a *asker) askAll(ctx context.Context, snap *app.Snapshot) {
	for {
		i := slices.IndexFunc(snap.Prompts, func(q app.Prompt) bool { return !a.settled[q.ID] })
		if i < 0 {
			return
		}
		q := snap.Prompts[i]
		answer, asked := a.ask(ctx, q)
		if ctx.Err() != nil {
			return
		}
		a.settled[q.ID] = true
		if asked {
			a.answer(ctx, q, answer)
		}
		snap = a.e.Snapshot()
	}
}

func (a *asker) answer(ctx context.Context, q app.Prompt, answer app.PromptAnswer) {
	err := a.e.Answer(ctx, q.ID, answer)
	if err != nil && !errors.Is(err, app.ErrPromptGone) {
		a.p.say("That did not work, so it counts as not now: %v", err)
		err = a.e.Answer(ctx, q.ID, app.PromptAnswer{Verdict: app.NotNow})
	}
	switch {
	case errors.Is(err, app.ErrPromptGone):
		a.p.say("This was answered elsewhere meanwhile.")
	case err != nil:
		a.p.say("That did not work either; the server is answered with what is allowed already: %v", err)
	}
}

// ask puts one question; it reports false when the question went away.
func (a *asker) ask(ctx context.Context, q app.Prompt) (app.PromptAnswer, bool) {
	notNow := app.PromptAnswer{Verdict: app.NotNow}
	if a.gone {
		return notNow, true
	}
	name := plain(q.ServerName)
	var choices string
	if q.Approval != nil {
		a.p.say("\n%s", approvalText(q.ServerName, q.Approval))
		choices = fmt.Sprintf("May %s be %s? y = always, s = until you quit, N = not now, never = turn it off [y/s/N/never]", name, startedWord(q.Approval))
	} else {
		a.p.say("\n%s", consentText(q))
		choices = fmt.Sprintf("May %s be told of them? y = always, s = until you quit, N = not now, never; y 1 3 or s 1 3 for some [y/s/N/never]", name)
	}
	a.p.keys.forget()
	for {
		line, status := a.line(ctx, q.ID, choices)
		switch status {
		case answerGone:
			a.p.say("\nThis was answered elsewhere, or is no longer needed.")
			return notNow, false
		case answerEnded:
			a.gone = true
			a.p.say("\nThe terminal's input has ended: every question is answered with not now.")
			return notNow, true
		}
		verdict, chosen, err := parseAnswer(line, q)
		if err != nil {
			a.p.say("%v", err)
			continue
		}
		answer := app.PromptAnswer{Verdict: verdict}
		if q.Consent != nil && (verdict == app.AllowAlways || verdict == app.AllowUntilQuit) {
			answer.Folders, status = a.folders(ctx, q.ID, chosen)
			if status == answerGone {
				return notNow, false
			}
			if len(answer.Folders) == 0 {
				return notNow, true
			}
		}
		return answer, true
	}
}

// folders asks a second time about each sensitive place that was chosen.
func (a *asker) folders(ctx context.Context, id app.PromptID, chosen []app.ConsentFolder) (map[store.RootID]root.Access, answerStatus) {
	allowed := make(map[store.RootID]root.Access, len(chosen))
	for _, f := range chosen {
		if f.Warning != "" {
			line, status := a.line(ctx, id, fmt.Sprintf("Careful: %s. %s. Type yes to include it all the same:", plain(f.Short), plain(strings.TrimSuffix(f.Warning, "."))))
			if status == answerGone {
				return nil, status
			}
			if status == answerEnded || !strings.EqualFold(strings.TrimSpace(line), "yes") {
				continue
			}
		}
		allowed[f.Root] = f.Access
	}
	return allowed, answerTyped
}

type answerStatus int

const (
	answerTyped answerStatus = iota
	answerGone               // the question was answered elsewhere or withdrawn, or the run ends
	answerEnded              // the terminal's input ended
)

// line writes a question and waits for a line, as long as the question stands.
func (a *asker) line(ctx context.Context, id app.PromptID, question string) (string, answerStatus) {
	lines := a.p.keys.listen()
	if _, err := fmt.Fprint(a.p.keys.ask, question, " "); err != nil {
		return "", answerEnded
	}
	for {
		select {
		case <-ctx.Done():
			return "", answerGone
		case text, ok := <-lines:
			if !ok {
				return "", answerEnded
			}
			return text, answerTyped
		case snap := <-a.news:
			if !slices.ContainsFunc(snap.Prompts, func(p app.Prompt) bool { return p.ID == id }) {
				return "", answerGone
			}
		}
	}
}

// parseAnswer reads what was typed: y, s, n (or nothing), never; after y and s
// the numbers of the folders, for a consent question.
func parseAnswer(line string, q app.Prompt) (app.PromptVerdict, []app.ConsentFolder, error) {
	words := strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if len(words) == 0 {
		return app.NotNow, nil, nil
	}
	var verdict app.PromptVerdict
	switch words[0] {
	case "y", "yes":
		verdict = app.AllowAlways
	case "s":
		verdict = app.AllowUntilQuit
	case "n", "no":
		verdict = app.NotNow
	case "never":
		verdict = app.NeverAllow
	default:
		return "", nil, fmt.Errorf("%q is not an answer: type y, s, n or never", plain(words[0]))
	}
	if q.Consent == nil || len(words) == 1 {
		if len(words) > 1 {
			return "", nil, errors.New("type one of y, s, n, never and nothing else")
		}
		if q.Consent == nil {
			return verdict, nil, nil
		}
		return verdict, askedFolders(q), nil
	}
	if verdict != app.AllowAlways && verdict != app.AllowUntilQuit {
		return "", nil, errors.New("numbers go with y or s only; n and never are for all of them")
	}
	asked := askedFolders(q)
	var chosen []app.ConsentFolder
	for _, w := range words[1:] {
		i := 0
		if _, err := fmt.Sscanf(w, "%d", &i); err != nil || i < 1 || i > len(asked) || fmt.Sprint(i) != w {
			return "", nil, fmt.Errorf("%q is not the number of a folder: use 1 to %d", plain(w), len(asked))
		}
		if !slices.ContainsFunc(chosen, func(f app.ConsentFolder) bool { return f.Root == asked[i-1].Root }) {
			chosen = append(chosen, asked[i-1])
		}
	}
	return verdict, chosen, nil
}

// askedFolders are the folders a question is about: the assigned ones. What
// else could be shared is offered in the window only.
func askedFolders(q app.Prompt) []app.ConsentFolder {
	var asked []app.ConsentFolder
	for _, f := range q.Consent.Folders {
		if f.Assigned {
			asked = append(asked, f)
		}
	}
	return asked
}

// consentText is everything a consent question says, for a terminal.
func consentText(q app.Prompt) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s asks which folders it should work in.\n\n", plain(q.ServerName))
	if q.Consent.URL != "" {
		fmt.Fprintf(&b, "  Address  %s\n\n", plain(q.Consent.URL))
	} else {
		fmt.Fprintf(&b, "  Command  %s\n\n", app.Quote(q.Consent.CommandLine))
	}
	for i, f := range askedFolders(q) {
		fmt.Fprintf(&b, "  %d  %s, %s\n     %s\n", i+1, plain(f.Label), accessWords(f.Access), plain(f.URI))
		if f.Warning != "" {
			fmt.Fprintf(&b, "     Careful: %s\n", plain(f.Warning))
		}
		if f.Problem != "" {
			fmt.Fprintf(&b, "     For now: %s\n", plain(f.Problem))
		}
	}
	return b.String()
}
