package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// removeIPC removes the System V shared memory, semaphores and queues of a user, which outlive its processes.
func removeIPC(uid int) error {
	return errors.Join(
		removeIPCKind("shm", "shmid", uid, func(id uintptr) error { return ipcRemove(unix.SYS_SHMCTL, id, unix.IPC_RMID, 0) }),
		removeIPCKind("sem", "semid", uid, func(id uintptr) error { return ipcRemove(unix.SYS_SEMCTL, id, 0, unix.IPC_RMID) }),
		removeIPCKind("msg", "msqid", uid, func(id uintptr) error { return ipcRemove(unix.SYS_MSGCTL, id, unix.IPC_RMID, 0) }),
	)
}

func ipcRemove(call, id, a, b uintptr) error {
	if _, _, errno := unix.Syscall6(call, id, a, b, 0, 0, 0); errno != 0 && errno != unix.EINVAL && errno != unix.EIDRM {
		return errno
	}
	return nil
}

// removeIPCKind reads /proc/sysvipc: a line of headings, then a line an object.
func removeIPCKind(kind, id string, uid int, remove func(id uintptr) error) error {
	f, err := os.Open("/proc/sysvipc/" + kind)
	if errors.Is(err, os.ErrNotExist) {
		return nil // a kernel without System V objects
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	idAt, uidAt := -1, -1
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if uidAt < 0 {
			for i, name := range fields {
				switch name {
				case id:
					idAt = i
				case "uid":
					uidAt = i
				}
			}
			if uidAt < 0 || idAt < 0 {
				return fmt.Errorf("/proc/sysvipc/%s: unknown headings %q", kind, fields)
			}
			continue
		}
		if len(fields) <= max(idAt, uidAt) || fields[uidAt] != strconv.Itoa(uid) {
			continue
		}
		number, err := strconv.Atoi(fields[idAt])
		if err != nil {
			return fmt.Errorf("/proc/sysvipc/%s: id %q", kind, fields[idAt])
		}
		if err := remove(uintptr(number)); err != nil {
			return fmt.Errorf("remove %s object %d: %w", kind, number, err)
		}
	}
	return lines.Err()
}
