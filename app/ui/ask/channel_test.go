package ask

import (
	"strings"
	"testing"

	"rootsmanager/app"
	"rootsmanager/store"
)

func TestFormAsksHowAServerIsTold(t *testing.T) {
	var s submissions
	_, f, clk := openForm(t, AddServerOptions{Submit: s.submit})
	f.command.SetText("npx files")
	if !strings.Contains(f.channelField.note.Content, "told when it asks") {
		t.Errorf("the line below says %q", f.channelField.note.Content)
	}
	f.channel.SetSelected(2)
	f.channel.Changed(2)
	if !strings.Contains(f.channelField.note.Content, "${roots}") {
		t.Errorf("the line below says %q", f.channelField.note.Content)
	}
	f.restart.OnTapped()
	f.submit()
	clk.await(t)
	if len(s.got) != 1 || s.got[0].Channel != store.ChannelArguments || !s.got[0].NoRestart {
		t.Fatalf("handed on %+v", s.got)
	}
}

func TestFormKeepsHowAServerIsTold(t *testing.T) {
	var s submissions
	_, f, clk := openForm(t, AddServerOptions{Submit: s.submit, Edit: &app.ServerView{Server: store.Server{
		Name: "files", Transport: store.Stdio, Command: "npx", Channel: store.ChannelDir, NoRestart: true,
	}}})
	f.submit()
	clk.await(t)
	if len(s.got) != 1 || s.got[0].Channel != store.ChannelDir || !s.got[0].NoRestart {
		t.Errorf("handed on %+v", s.got)
	}
}
