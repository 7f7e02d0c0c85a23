package clientconfig

import (
	"path"
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/pattern"
)

// Unversioned says why what a command fetches can change from one start to the next, or "" where it cannot: a package of
// npx, bunx, pnpm dlx, yarn dlx, npm exec, uvx, uv tool run or pipx run without an exact version, an image of docker run
// without a tag or with latest. What it does not know it does not judge.
func Unversioned(argv []string) string {
	argv = unwrapped(argv)
	for _, r := range runners {
		if args, ok := r.match(argv); ok {
			return r.judge(args)
		}
	}
	return ""
}

// unwrapped drops what only starts another command: cmd /c, env NAME=VALUE.
func unwrapped(argv []string) []string {
	for len(argv) > 1 {
		switch name := program(argv[0]); {
		case name == "cmd" && strings.EqualFold(argv[1], "/c"):
			argv = argv[2:]
		case name == "env" && strings.Contains(argv[1], "="):
			argv = append([]string{argv[0]}, argv[2:]...)
		case name == "env" && !strings.HasPrefix(argv[1], "-"):
			argv = argv[1:]
		default:
			return argv
		}
	}
	return argv
}

// program is the name of a program without its folder and Windows' endings.
func program(s string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(s, `\`, "/")))
	for _, end := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// runner is a program that fetches what it runs.
type runner struct {
	words  []string // the program and its subcommands
	values []string // options that take a value of their own
	spec   []string // options whose value names what is fetched
	moves  func(spec string) string
}

var runners = []runner{
	{[]string{"npx"}, npmValues, npmSpec, npmMoves},
	{[]string{"bunx"}, npmValues, npmSpec, npmMoves},
	{[]string{"bun", "x"}, npmValues, npmSpec, npmMoves},
	{[]string{"pnpx"}, npmValues, npmSpec, npmMoves},
	{[]string{"pnpm", "dlx"}, npmValues, npmSpec, npmMoves},
	{[]string{"yarn", "dlx"}, npmValues, npmSpec, npmMoves},
	{[]string{"npm", "exec"}, npmValues, npmSpec, npmMoves},
	{[]string{"npm", "x"}, npmValues, npmSpec, npmMoves},
	{[]string{"uvx"}, uvValues, []string{"--from"}, pythonMoves},
	{[]string{"uv", "tool", "run"}, uvValues, []string{"--from"}, pythonMoves},
	{[]string{"pipx", "run"}, []string{"--python", "--index-url", "-i", "--pip-args"}, []string{"--spec"}, pythonMoves},
	{[]string{"docker", "run"}, dockerValues, nil, imageMoves},
	{[]string{"docker", "container", "run"}, dockerValues, nil, imageMoves},
	{[]string{"podman", "run"}, dockerValues, nil, imageMoves},
}

var (
	npmValues    = []string{"-c", "--call", "--registry", "--cache", "-w", "--workspace", "--userconfig", "--prefix", "--loglevel"}
	npmSpec      = []string{"-p", "--package"}
	uvValues     = []string{"--with", "--with-editable", "--with-requirements", "-w", "-p", "--python", "--index", "--index-url", "--default-index", "--extra-index-url", "-i", "-f", "--find-links", "--cache-dir", "--directory", "--project", "--env-file", "--config-file", "-c", "--constraints", "--overrides", "-b", "--resolution", "--prerelease", "--exclude-newer"}
	dockerValues = []string{"-e", "--env", "--env-file", "-v", "--volume", "--mount", "--name", "--network", "--net", "-p", "--publish", "-u", "--user", "-w", "--workdir", "--entrypoint", "-l", "--label", "--add-host", "-m", "--memory", "--cpus", "--platform", "--pull", "--restart", "--cap-add", "--cap-drop", "--security-opt", "--tmpfs", "--device", "--dns", "-h", "--hostname", "--gpus", "--shm-size", "--ulimit", "--log-driver", "--log-opt", "--pids-limit", "--stop-timeout", "--volumes-from", "--ipc", "--pid", "--runtime", "-a", "--attach", "--cidfile"}
)

// match returns what follows the runner's words.
func (r *runner) match(argv []string) ([]string, bool) {
	if len(argv) <= len(r.words) || program(argv[0]) != r.words[0] || !slices.Equal(argv[1:len(r.words)], r.words[1:]) {
		return nil, false
	}
	return argv[len(r.words):], true
}

// judge finds what is fetched among the arguments and says why it moves.
func (r *runner) judge(args []string) string {
	var specs []string
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i], "-") && args[i] != "--"; i++ {
		option, value, attached := strings.Cut(args[i], "=")
		takes := slices.Contains(r.values, option) || slices.Contains(r.spec, option)
		if takes && !attached && i+1 < len(args) {
			i++
			value = args[i]
		}
		if slices.Contains(r.spec, option) {
			specs = append(specs, value)
		}
	}
	if i < len(args) && args[i] == "--" {
		i++
	}
	if len(specs) == 0 && i < len(args) {
		specs = args[i : i+1]
	}
	for _, s := range specs {
		if strings.Contains(s, "${") { // decided where it is verified
			continue
		}
		if why := r.moves(s); why != "" {
			return why
		}
	}
	return ""
}

var (
	exactVersion = pattern.Lazy(`^v?[0-9]+(?:\.[0-9]+){1,3}(?:[-+.a-zA-Z][0-9A-Za-z.+-]*)?$`)
	npmExact     = pattern.Lazy(`^v?[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]+)?$`)
	commit       = pattern.Lazy(`^[0-9a-f]{40}$`)
)

func npmMoves(spec string) string {
	if strings.HasPrefix(spec, ".") || strings.HasPrefix(spec, "/") || strings.HasPrefix(spec, "file:") {
		return "" // a file of one's own
	}
	if strings.Contains(spec, "://") || strings.Contains(spec, ":") || strings.Count(spec, "/") > 1 || strings.Contains(spec, "/") && spec[0] != '@' {
		if _, ref, _ := strings.Cut(spec, "#"); commit().MatchString(ref) {
			return ""
		}
		return quoteFree(spec) + " is fetched from a source without a fixed commit"
	}
	at := strings.LastIndexByte(spec, '@')
	switch {
	case at <= 0:
		return quoteFree(spec) + " has no version"
	case !npmExact().MatchString(spec[at+1:]):
		return quoteFree(spec) + " has no exact version"
	}
	return ""
}

func pythonMoves(spec string) string {
	if strings.HasPrefix(spec, ".") || strings.HasPrefix(spec, "/") {
		return ""
	}
	if strings.Contains(spec, "://") {
		if _, ref, _ := strings.Cut(spec[strings.Index(spec, "://"):], "@"); commit().MatchString(ref) {
			return ""
		}
		return quoteFree(spec) + " is fetched from a source without a fixed commit"
	}
	if _, version, ok := strings.Cut(spec, "=="); ok && exactVersion().MatchString(version) {
		return ""
	}
	if _, version, ok := strings.Cut(spec, "@"); ok && exactVersion().MatchString(version) {
		return ""
	}
	if strings.ContainsAny(spec, "@=<>~!") {
		return quoteFree(spec) + " has no exact version"
	}
	return quoteFree(spec) + " has no version"
}

func imageMoves(image string) string {
	if strings.Contains(image, "@sha256:") {
		return ""
	}
	_, tag, ok := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], ":")
	switch {
	case !ok:
		return "image " + quoteFree(image) + " has no tag"
	case tag == "latest":
		return "image " + quoteFree(image) + " is whatever is latest"
	}
	return ""
}
