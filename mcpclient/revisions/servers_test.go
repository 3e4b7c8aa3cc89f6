package revisions

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rootsmanager/app/root"
	"rootsmanager/mcpclient"
	"rootsmanager/mcpclient/peers"
)

// patience bounds every wait: far above what any step takes.
const patience = 30 * time.Second

// maker is a kind of server.
type maker struct {
	name string
	// command starts it; for http and sse it prints its address, or has it
	// from the environment.
	command func(t *testing.T, transport mcpclient.Transport) (program string, args, env []string)
	// believes reads back which roots it works with.
	believes func(t *testing.T, s *mcpclient.Session) []string
	// keeps says that it keeps the last roots when the list becomes empty.
	keeps bool
	// asks says that its tool asks for roots itself while it has none.
	asks bool
	// golden says that it asks once for every change and once at the beginning.
	golden     bool
	transports []mcpclient.Transport
}

var all = []mcpclient.Transport{mcpclient.Stdio, mcpclient.HTTP, mcpclient.SSE}

var makers = []maker{
	{name: "go", golden: true, transports: all, believes: byList, command: goCommand},
	{name: "typescript-1", golden: true, transports: all, believes: byList, command: func(t *testing.T, transport mcpclient.Transport) (string, []string, []string) {
		return peers.Node(t), []string{script(t, "ts1.mjs"), peers.SDK(t), string(transport)}, nil
	}},
	{name: "typescript-2", golden: true, transports: all[:2], believes: byList, command: func(t *testing.T, transport mcpclient.Transport) (string, []string, []string) {
		return peers.Node(t), []string{script(t, "ts2.mjs"), modern(t), string(transport)}, nil
	}},
	{name: "server-everything", asks: true, transports: all, believes: byEverything, command: func(t *testing.T, transport mcpclient.Transport) (string, []string, []string) {
		kind := map[mcpclient.Transport]string{mcpclient.Stdio: "stdio", mcpclient.HTTP: "streamableHttp", mcpclient.SSE: "sse"}[transport]
		return peers.Node(t), []string{peers.Everything(t), kind}, []string{fmt.Sprintf("PORT=%d", freePort(t))}
	}},
	{name: "server-filesystem", keeps: true, transports: all[:1], believes: byFilesystem, command: func(t *testing.T, _ mcpclient.Transport) (string, []string, []string) {
		return peers.Node(t), []string{peers.Filesystem(t), realDir(t)}, nil
	}},
}

func goCommand(t *testing.T, transport mcpclient.Transport) (string, []string, []string) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe, nil, []string{asServer + "=" + string(transport)}
}

func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// modern returns the node_modules folder of the TypeScript server SDK 2.x.
func modern(t *testing.T) string {
	t.Helper()
	top, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(top, "build", "conformance", "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "@modelcontextprotocol", "server", "package.json")); err != nil {
		peers.Require(t, "@modelcontextprotocol/server is not installed; run: make peers")
	}
	return modules
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func environment(more []string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LANG=C.UTF-8"}, more...)
}

// recording returns the spec of a stdio server that is recorded into file.
func recording(t *testing.T, program string, args, env []string) (spec mcpclient.Spec, file string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "wire.jsonl")
	return mcpclient.Spec{
		Transport: mcpclient.Stdio, Program: exe, Args: append([]string{program}, args...), Dir: t.TempDir(),
		Env: environment(append(env, asRecorder+"="+file)),
	}, file
}

// listening starts an HTTP server that ends with the test, and returns its address.
func listening(t *testing.T, program string, args, env []string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = environment(env)
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	if _, err := cmd.StdinPipe(); err != nil { // it ends with our end
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, drained := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(drained)
		told := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			l := lines.Text()
			switch {
			case told:
			case strings.HasPrefix(l, "http://"):
				told = true
				address <- l
			case strings.Contains(strings.ToLower(l), "port"): // server-everything
				if port := regexp.MustCompile(`\d{4,5}`).FindString(l); port != "" {
					told = true
					address <- "http://127.0.0.1:" + port
				}
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
		_ = in.Close()
		<-drained
	})
	select {
	case a := <-address:
		return a
	case <-time.After(patience):
		t.Fatal("the server did not start")
		return ""
	}
}

// call calls a tool that gives text.
func call(t *testing.T, s *mcpclient.Session, tool string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	res, err := s.CallTool(ctx, tool, nil)
	if err != nil || res.IsError {
		t.Fatalf("%s: %v %s", tool, err, res.Text)
	}
	return res.Text
}

func byList(t *testing.T, s *mcpclient.Session) []string {
	t.Helper()
	return parse[[]string](t, call(t, s, "list_roots"))
}

var fileURI = regexp.MustCompile(`file://\S+`)

func byEverything(t *testing.T, s *mcpclient.Session) []string {
	t.Helper()
	return fileURI.FindAllString(call(t, s, "get-roots-list"), -1)
}

func byFilesystem(t *testing.T, s *mcpclient.Session) []string {
	t.Helper()
	var uris []string
	for _, l := range strings.Split(call(t, s, "list_allowed_directories"), "\n")[1:] {
		if l != "" {
			uris = append(uris, uri(t, l))
		}
	}
	return uris
}

func uri(t *testing.T, path string) string {
	t.Helper()
	u, err := root.FromPath(path)
	if err != nil {
		t.Fatal(err)
	}
	return u.String()
}
