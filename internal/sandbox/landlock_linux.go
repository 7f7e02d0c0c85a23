package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The access rights that a Landlock rule gives (linux/landlock.h), as this package uses them.
const (
	landRead   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landList   = unix.LANDLOCK_ACCESS_FS_READ_DIR
	landDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	landAll = landV1 | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	landV1    = 1<<13 - 1 // every right of the first version: execute to make_sym
	landFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV // those that a rule on a file may name
)

// Versions of Landlock that first had what we use.
const (
	landRefer    = 2
	landTruncate = 3
	landIoctl    = 5
	landScopes   = 6 // signals and abstract Unix sockets
)

// grant lets a server use a file, or a folder with all that is below it.
type grant struct {
	Path   string
	Rights uint64
	Needed bool // starting without it would be an error; others are left out where they do not exist
}

// landlockVersion asks the kernel, since a library's "best effort" hides a refusal. An error says why there is none.
func landlockVersion() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		return int(v), nil
	case unix.ENOSYS:
		return 0, fmt.Errorf("this kernel has no Landlock, or it is kept from us")
	case unix.EOPNOTSUPP:
		return 0, fmt.Errorf("this kernel has Landlock switched off")
	}
	return 0, fmt.Errorf("this kernel refuses Landlock: %w", errno)
}

// rulesetFor is what a version of Landlock can keep from a server.
func rulesetFor(version int) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: landV1}
	if version >= landRefer {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= landTruncate {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= landIoctl {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= landScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr
}

// restrict leaves the calling thread, and what it executes, nothing but the grants. It needs no_new_privs.
func restrict(version int, grants []grant) error {
	attr := rulesetFor(version)
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	defer unix.Close(int(ruleset))
	for _, g := range grants {
		if err := allow(int(ruleset), g, attr.Handled_access_fs); err != nil && (g.Needed || !absent(err)) {
			return err
		}
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}

func allow(ruleset int, g grant, handled uint64) error {
	fd, err := unix.Open(g.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: g.Path, Err: err}
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &os.PathError{Op: "stat", Path: g.Path, Err: err}
	}
	rights := g.Rights & handled
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= landFiles
	}
	if rights == 0 {
		return nil
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &os.PathError{Op: "landlock_add_rule", Path: g.Path, Err: errno}
	}
	return nil
}

// absent tells whether a path is not there for this user, so that not granting it changes nothing.
func absent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES)
}
