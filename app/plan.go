package app

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"rootsmanager/mcpclient"
	"rootsmanager/store"
)

// plan is exactly what starting or contacting a server would do now. It is
// immutable.
type plan struct {
	of       store.Server // the entry it was made from
	identity store.Identity
	argv     []string // resolved program and arguments; empty for URLs
	target   string   // where the program path leads through symlinks
	dir      string
	url      string
	env      []store.Var // configured variables or headers, with their values
	sealed   bool        // made while the keyring was there: values are digested with its key
	fill     *filling    // what is filled in at each start; nil: nothing, and argv is what runs
	problem  error       // why it cannot be started or contacted
}

// identityFields are hashed with their lengths, so that no two different
// plans can run into each other.
func digestFields(fields ...string) store.Identity {
	h := sha256.New()
	var n [8]byte
	for _, f := range fields {
		binary.BigEndian.PutUint64(n[:], uint64(len(f)))
		h.Write(n[:])
		io.WriteString(h, f) //nolint:errcheck // a hash never fails
	}
	return store.Identity(hex.EncodeToString(h.Sum(nil)))
}

// newPlan resolves what would run if starter started it: a yes to one starter
// is none to another. It reads the file system and, for secret
// values, the keyring; a failure is part of the plan.
func newPlan(ctx context.Context, st *store.Store, starter string, s store.Server) *plan {
	p := &plan{of: s, sealed: st.Seal().Sealed}
	fill, args, err := fillingOf(s)
	if err != nil {
		p.fail(err)
	}
	s.Args, p.fill = args, fill
	if s.Transport == store.Stdio {
		p.resolveCommand(s)
	} else {
		p.resolveURL(s)
	}
	configured := s.Env
	if s.Transport != store.Stdio {
		configured = s.Headers
	}
	values := make([][]byte, 0, 2*len(configured))
	var names []string
	for _, v := range slices.SortedFunc(slices.Values(configured), func(a, b store.Var) int { return strings.Compare(a.Name, b.Name) }) {
		if v.Secret {
			secret, err := st.Secret(ctx, s.ID, v.Name)
			if err != nil {
				p.fail(fmt.Errorf("the secret value of %s cannot be read: %w", v.Name, err))
			}
			v.Value = secret
		}
		p.env = append(p.env, v)
		names = append(names, v.Name)
		values = append(values, []byte(v.Name), []byte(v.Value))
	}
	var keyed string
	if len(values) > 0 && s.Transport == store.Stdio {
		d, err := st.Digest(values...)
		if err != nil {
			p.fail(fmt.Errorf("the environment cannot be identified: %w", err))
		}
		keyed = d
	}
	if s.Transport == store.Stdio {
		fields := []string{"roots-manager identity 1", starter, p.kind(), p.argv[0], p.target, p.dir, strings.Join(names, "\x00"), keyed}
		p.identity = digestFields(append(fields, p.argv[1:]...)...)
	} else {
		p.identity = digestFields("roots-manager identity 1", starter, "url", p.url)
	}
	return p
}

// kind is the transport, with whether anything is filled in: that is part of
// what runs, the folders are not.
func (p *plan) kind() string {
	switch {
	case p.fill == nil:
		return "stdio"
	case p.fill.dir:
		return "stdio, filled in, started in its first folder"
	}
	return "stdio, filled in"
}

func (p *plan) fail(err error) {
	if p.problem == nil {
		p.problem = err
	}
}

func (p *plan) resolveCommand(s store.Server) {
	home, err := os.UserHomeDir()
	if err != nil {
		p.fail(fmt.Errorf("the home folder is not known: %w", err))
	}
	p.dir = home
	if s.Dir != "" {
		p.dir = expandHome(s.Dir, home)
	}
	if !filepath.IsAbs(p.dir) {
		p.fail(fmt.Errorf("the working folder %q is not a full path: edit the server and choose a folder", s.Dir))
	} else if info, err := os.Stat(p.dir); err != nil || !info.IsDir() {
		p.fail(fmt.Errorf("the working folder %s does not exist: edit the server and choose another", p.dir))
	}
	program := expandHome(s.Command, home)
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		program = filepath.Join(p.dir, program)
	}
	path, err := exec.LookPath(program)
	if err == nil && !filepath.IsAbs(path) {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		p.argv = append([]string{program}, s.Args...)
		p.fail(fmt.Errorf("the program %q was not found: install it, or edit the server and give the full path", s.Command))
		return
	}
	p.argv = append([]string{path}, s.Args...)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		p.target = target
	}
}

func (p *plan) resolveURL(s store.Server) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		p.url = s.URL
		p.fail(fmt.Errorf("%q is not a web address: write it like https://example.com/mcp", s.URL))
		return
	}
	u.Fragment = ""
	u.Scheme = strings.ToLower(u.Scheme)
	u.Host = strings.ToLower(u.Host)
	p.url = u.String()
}

// expandHome replaces a leading ~ by the home folder, as people write paths.
func expandHome(path, home string) string {
	if path == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}

// spec is what the session runs.
func (p *plan) spec() mcpclient.Spec {
	spec := mcpclient.Spec{Transport: mcpclient.Transport(p.of.Transport), Revision: p.of.Revision}
	if p.of.Transport != store.Stdio {
		spec.URL = p.url
		spec.Headers = make(map[string]string, len(p.env))
		for _, v := range p.env {
			spec.Headers[v.Name] = v.Value
		}
		return spec
	}
	spec.Program, spec.Args, spec.Dir = p.argv[0], slices.Clone(p.argv[1:]), p.dir
	env := minimalEnv()
	for _, v := range p.env {
		env[v.Name] = v.Value
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		spec.Env = append(spec.Env, name+"="+env[name])
	}
	return spec
}

// minimalEnv is what every server gets: enough to find programs, the home
// folder and the language, and none of the tokens that live in a person's
// environment.
func minimalEnv() map[string]string {
	names := []string{"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"}
	if runtime.GOOS == "windows" {
		names = []string{
			"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
			"PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
		}
	}
	env := make(map[string]string, len(names))
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env[name] = value
		}
	}
	return env
}

// same reports whether the plan was made from this entry. Order and name do
// not matter to what runs.
func (p *plan) same(s store.Server) bool {
	a, b := p.of, s
	a.Name, a.Position, a.Enabled, a.Source, a.NoRestart = b.Name, b.Position, b.Enabled, b.Source, b.NoRestart
	return reflect.DeepEqual(a, b)
}

// programHash is the SHA-256 of the program file, in hex; empty for URLs.
func (p *plan) programHash() (string, error) {
	if len(p.argv) == 0 {
		return "", nil
	}
	f, err := os.Open(p.argv[0])
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
