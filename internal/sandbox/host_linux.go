package sandbox

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The users of the image, as its Dockerfile makes them. Their guards have no names.
const (
	firstUID    = 60600
	guardOffset = 100
)

// host is what is around us. The zero value becomes the image; tests say something else.
type host struct {
	self     string // this binary
	homes    string // the folder of the users' homes
	firstUID int
	users    int
	temps    []string            // folders where anyone may leave files
	docker   string              // the Docker socket
	hide     []string            // closed where there is no Landlock
	grants   []grant             // beside the system's
	landlock func() (int, error) // its version
	image    func() error        // tells whether the image is around us
}

func (h *host) orImage() {
	if h.homes != "" {
		return
	}
	*h = host{
		self: "/proc/self/exe", homes: "/srv/mcp", firstUID: firstUID, users: Users,
		temps: []string{"/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"}, docker: "/var/run/docker.sock",
		hide: runnerPaths(), landlock: landlockVersion, image: inImage,
	}
}

// userName is the name that the image gives to one of its users.
func userName(i int) string { return fmt.Sprintf("mcp%02d", i) }

// inImage looks for the first and the last of the image's users.
func inImage() error {
	for _, i := range []int{0, Users - 1} {
		u, err := user.LookupId(strconv.Itoa(firstUID + i))
		if err != nil || u.Username != userName(i) {
			return fmt.Errorf("this is not contractpin's image: user %d is not %s", firstUID+i, userName(i))
		}
	}
	return nil
}

// needed are the capabilities that isolating takes; containers have them unless somebody took them away.
var needed = []struct {
	bit  int
	name string
}{
	{unix.CAP_CHOWN, "CHOWN"}, {unix.CAP_DAC_OVERRIDE, "DAC_OVERRIDE"}, {unix.CAP_FOWNER, "FOWNER"}, {unix.CAP_KILL, "KILL"},
	{unix.CAP_SETGID, "SETGID"}, {unix.CAP_SETUID, "SETUID"}, {unix.CAP_SETPCAP, "SETPCAP"},
}

// able tells whether we may isolate at all.
func (h *host) able() error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("servers can only be isolated by root, and this is user %d", os.Geteuid())
	}
	have, err := capabilities()
	if err != nil {
		return err
	}
	var missing []string
	for _, c := range needed {
		if have&(1<<c.bit) == 0 {
			missing = append(missing, c.name)
		}
	}
	if missing != nil {
		return fmt.Errorf("servers cannot be isolated without the capabilities %s", strings.Join(missing, ", "))
	}
	return h.image()
}
