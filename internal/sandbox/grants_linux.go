package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// systemGrants are what a program needs of the system to run: read, execute and a few devices. /proc is not among them, for
// it shows every process's command line; nor is its own /proc/self, which a rule cannot follow to the processes that
// a server starts. Node, Python, Go and the package runners do without it.
func systemGrants() []grant {
	var out []grant
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/opt"} {
		out = append(out, grant{Path: dir, Rights: landRead})
	}
	for _, file := range []string{
		"/proc/cpuinfo", "/proc/filesystems", "/proc/loadavg", "/proc/meminfo", "/proc/stat", "/proc/uptime", "/proc/version",
		"/proc/sys", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm",
	} {
		out = append(out, grant{Path: file, Rights: landRead &^ unix.LANDLOCK_ACCESS_FS_EXECUTE})
	}
	for _, dev := range []string{"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"} {
		out = append(out, grant{Path: "/dev/" + dev, Rights: landDevice})
	}
	return append(out, grant{Path: "/dev/shm", Rights: landAll &^ unix.LANDLOCK_ACCESS_FS_EXECUTE})
}

// maxWalked bounds the entries of the checkout that are looked at for a .git: about two seconds.
const maxWalked = 1_000_000

// checkout is what a walk over the workspace found.
type checkout struct {
	grants []grant  // everything but the secrets
	gits   []string // each .git, be it a folder or a file
	unseen []string // folders that were not looked into, and so are not granted
}

type folder struct {
	path   string
	parent int  // index, -1 for the root
	mixed  bool // something in it or below must not be granted
	unseen bool
}

// walk finds every .git below root, so that everything else can be granted: Landlock only knows what is allowed, with all
// below it. A folder without a .git anywhere in it is one rule. One that has some may be listed, and its children are
// granted one by one; listing reaches down into .git too, so the names of files there can be seen, but nothing in them.
// Links are not followed: Landlock judges a file by where it really is. The nearest folders come first; what lies beyond
// the bound is not granted.
func walk(root string, bound int) (checkout, error) {
	var c checkout
	folders := []folder{{path: root, parent: -1}}
	mix := func(i int) {
		for ; i >= 0 && !folders[i].mixed; i = folders[i].parent {
			folders[i].mixed = true
		}
	}
	seen := 0
	for i := 0; i < len(folders); i++ {
		var entries []fs.DirEntry
		err := errBound
		if seen < bound {
			entries, err = os.ReadDir(folders[i].path)
		}
		if err != nil && i == 0 {
			return checkout{}, err
		}
		if err != nil { // also what even root may not read, as on a network file system
			folders[i].unseen = true
			c.unseen = append(c.unseen, folders[i].path)
			mix(i)
			continue
		}
		seen += len(entries)
		for _, e := range entries {
			path := filepath.Join(folders[i].path, e.Name())
			switch {
			case e.Name() == ".git":
				c.gits = append(c.gits, path)
				mix(i)
			case e.IsDir():
				folders = append(folders, folder{path: path, parent: i})
			}
		}
	}
	c.grants = grantFolders(folders)
	return c, nil
}

var errBound = errors.New("too many entries")

func grantFolders(folders []folder) []grant {
	var out []grant
	for _, f := range folders {
		switch {
		case f.unseen:
		case f.mixed:
			out = append(out, grant{Path: f.path, Rights: landList})
			entries, _ := os.ReadDir(f.path) // it could be read a moment ago
			for _, e := range entries {
				if e.Type().IsRegular() && e.Name() != ".git" {
					out = append(out, grant{Path: filepath.Join(f.path, e.Name()), Rights: landRead})
				}
			}
		case f.parent < 0 || folders[f.parent].mixed:
			out = append(out, grant{Path: f.path, Rights: landRead})
		}
	}
	return out
}
