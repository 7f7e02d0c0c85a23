package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// attempt is one thing that a server may try. It succeeded when there is no error.
type attempt struct {
	name string
	try  func(*Target) (detail string, err error)
}

// needle is what every secret of the run holds. It is put together here so that no copy of this program holds it.
func needle() string { return strings.Join([]string{"S3", "CR", "3T"}, "") }

var errNothing = errors.New("nothing found")

// attempts are all of them, in the order of the table that the test makes.
var attempts = []attempt{
	{"find the token in its own environment", func(*Target) (string, error) { return search([]byte(strings.Join(os.Environ(), "\n"))) }},
	{"find the token in a file that was left open", ownFiles},
	{"read the environment of process 1", func(*Target) (string, error) { return readSecret("/proc/1/environ") }},
	{"read the environment of any process but its own", anyProcess("environ", searchFile)},
	{"read the command line of any process but its own", anyProcess("cmdline", commandLine)},
	{"read the memory of any process but its own", anyProcess("mem", searchMemory)},
	{"open a file that another process has open", anyProcess("fd", openFiles)},
	{"reach files through the root folder of process 1", func(*Target) (string, error) { return read("/proc/1/root/etc/hostname") }},
	{"trace the action", func(*Target) (string, error) { return trace(os.Getppid()) }},
	{"read the action's memory by process_vm_readv", func(*Target) (string, error) { return vmRead(os.Getppid()) }},

	{"read the event", func(*Target) (string, error) { return read("/github/workflow/event.json") }},
	{"read the event through runner_temp", func(*Target) (string, error) { return read("/github/runner_temp/_github_workflow/event.json") }},
	{"list the file commands", func(*Target) (string, error) { return list("/github/file_commands") }},
	{"list runner_temp", func(*Target) (string, error) { return list("/github/runner_temp") }},
	{"append to GITHUB_ENV", appendCommand("/github/file_commands", "set_env_")},
	{"append to GITHUB_ENV through runner_temp", appendCommand("/github/runner_temp/_runner_file_commands", "set_env_")},
	{"append to GITHUB_OUTPUT", appendCommand("/github/file_commands", "set_output_")},
	{"append to GITHUB_OUTPUT through runner_temp", appendCommand("/github/runner_temp/_runner_file_commands", "set_output_")},
	{"append to GITHUB_PATH", appendCommand("/github/file_commands", "add_path_")},
	{"append to GITHUB_PATH through runner_temp", appendCommand("/github/runner_temp/_runner_file_commands", "add_path_")},
	{"append to the job summary", appendCommand("/github/file_commands", "step_summary_")},
	{"read checkout's credentials in runner_temp", func(t *Target) (string, error) { return readSecret("/github/runner_temp/" + t.Secret) }},
	{"write to runner_temp", func(*Target) (string, error) { return create("/github/runner_temp/planted") }},
	{"read the action's HOME", func(*Target) (string, error) { return readSecret("/github/home/.npmrc") }},
	{"read the action's HOME through runner_temp", func(*Target) (string, error) { return readSecret("/github/runner_temp/_github_home/.npmrc") }},
	{"write to the action's HOME", func(*Target) (string, error) { return create("/github/home/planted") }},

	{"read .git/config", func(*Target) (string, error) { return readSecret("/github/workspace/.git/config") }},
	{"read .git/config through a link in the checkout", func(*Target) (string, error) { return readSecret("/github/workspace/innocent/config") }},
	{"read .git/config of a checkout further down", func(*Target) (string, error) { return readSecret("/github/workspace/third/party/.git/config") }},
	{"link .git/config into its own HOME", linkGit},
	{"write to the lock", func(*Target) (string, error) { return appendTo("/github/workspace/contractpin.lock") }},
	{"move the lock away", moveLock},
	{"make a file in the checkout", func(*Target) (string, error) { return create("/github/workspace/planted") }},
	{"rewrite its own program in the checkout", func(*Target) (string, error) { return "", os.Chmod("/github/workspace/server", 0o755) }},

	{"read another server's HOME", func(t *Target) (string, error) { return readSecret(t.Victim.Home + "/secret") }},
	{"list the servers' homes", func(*Target) (string, error) { return list("/srv/mcp") }},
	{"read another server's environment", func(t *Target) (string, error) { return readSecret(proc(t.Victim.PID, "environ")) }},
	{"read another server's command line", func(t *Target) (string, error) { return commandLine(proc(t.Victim.PID, "cmdline")) }},
	{"read another server's memory", func(t *Target) (string, error) { return searchMemory(proc(t.Victim.PID, "mem")) }},
	{"open another server's files", func(t *Target) (string, error) { return openFiles(proc(t.Victim.PID, "fd")) }},
	{"trace another server", func(t *Target) (string, error) { return trace(t.Victim.PID) }},
	{"read another server's shared memory", func(*Target) (string, error) { return readSecret("/dev/shm/victim") }},
	{"reach another server's abstract socket", func(*Target) (string, error) { return dial("unix", "@victim") }},
	{"signal another server", func(t *Target) (string, error) { return "", syscall.Kill(t.Victim.PID, syscall.SIGCONT) }},

	{"reach the Docker socket", func(*Target) (string, error) { return docker("/var/run/docker.sock") }},
	{"see that there is a Docker socket", func(*Target) (string, error) { _, err := os.Stat("/run/docker.sock"); return "", err }},

	{"terminate process 1", func(*Target) (string, error) { return "", kill(1) }},
	{"terminate the action", func(*Target) (string, error) { return "", kill(os.Getppid()) }},
	{"become root", func(*Target) (string, error) { return "", syscall.Setuid(0) }},
	{"change its root folder", func(*Target) (string, error) { return "", syscall.Chroot("/") }},
	{"read what only root may", func(*Target) (string, error) { return read("/etc/shadow") }},
	{"change a program of the image", func(*Target) (string, error) { return appendTo("/usr/local/bin/contractpin") }},
	{"write to a temporary folder that later servers use", func(*Target) (string, error) { return create("/tmp/planted") }},

	{"write a file larger than the bound", bigFile},
	{"open more files than the bound", manyFiles},
	{"start more processes than the bound", manyProcesses},
	{"start more threads than the bound", manyThreads},

	{"write runner commands to the log of the run", func(*Target) (string, error) { return writeLog() }},
}

// search looks for a secret and hands on where it is, not what.
func search(data []byte) (string, error) {
	if i := strings.Index(string(data), needle()); i >= 0 {
		return fmt.Sprintf("a secret at byte %d", i), nil
	}
	return "", errNothing
}

func read(path string) (string, error) {
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%d bytes", len(data)), err
}

func readSecret(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return search(data)
}

func list(path string) (string, error) {
	entries, err := os.ReadDir(path)
	return fmt.Sprintf("%d entries", len(entries)), err
}

func create(path string) (string, error) { return "", os.WriteFile(path, []byte("planted\n"), 0o644) }

// appendTo opens a file for writing and writes nothing, which would spoil it.
func appendTo(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return "", err
	}
	return "", f.Close()
}

// moveLock moves it back: another server may not have been started yet.
func moveLock(*Target) (string, error) {
	const lock, away = "/github/workspace/contractpin.lock", "/github/workspace/moved.lock"
	if err := os.Rename(lock, away); err != nil {
		return "", err
	}
	return "", os.Rename(away, lock)
}

// appendCommand really writes: what it leaves must not reach later steps.
func appendCommand(dir, prefix string) func(*Target) (string, error) {
	return func(t *Target) (string, error) {
		for _, name := range t.Commands {
			if !strings.HasPrefix(name, prefix) {
				continue
			}
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return "", err
			}
			defer f.Close()
			line := "PWNED=1\n"
			if prefix == "add_path_" {
				line = "/PWNED\n"
			}
			_, err = f.WriteString(line)
			return "", err
		}
		return "", fmt.Errorf("no file is named %s…", prefix)
	}
}

// linkGit makes a second name of a file that it cannot read, in a folder where it may read everything.
func linkGit(*Target) (string, error) {
	link := filepath.Join(os.Getenv("HOME"), "config")
	if err := os.Symlink("/github/workspace/.git/config", link); err != nil {
		return "", err
	}
	defer os.Remove(link)
	return readSecret(link)
}

func dial(network, address string) (string, error) {
	c, err := net.Dial(network, address)
	if err != nil {
		return "", err
	}
	return "", c.Close()
}

// docker asks the engine who it is.
func docker(socket string) (string, error) {
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	resp, err := client.Get("http://docker/version")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return resp.Status, nil
}

// kill finds out whether it may, and does it where it may not: were it to work, the run would end.
func kill(pid int) error {
	if err := syscall.Kill(pid, 0); err != nil {
		return errors.Join(err, syscall.Kill(pid, syscall.SIGTERM))
	}
	return nil
}

// writeLog tries every way to where the container's output goes.
func writeLog() (string, error) {
	var errs error
	for _, path := range []string{"/proc/1/fd/1", "/proc/1/fd/2", fmt.Sprintf("/proc/%d/fd/1", os.Getppid()), "/dev/console", "/dev/pts/0"} {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			errs = errors.Join(errs, err)
			continue
		}
		defer f.Close()
		if _, err := fmt.Fprintln(f, "\n"+commands[0]); err == nil {
			return path, nil
		}
	}
	return "", errs
}
