package portail

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"syscall"
)

// The numbers of files in wasm/abi/portail.h.
const (
	fileMissing  = -1
	fileOccupied = -2
	fileOther    = -3
	fileFailed   = -4

	regularFile = 0
	folderKind  = 1
	otherFile   = 2

	fileInfoSize = 32
)

// folderPath is the path of a portal's folder, which may be a link. Its methods are the module's imports of files (wasm/abi/portail.h).
type folderPath string

func (folder folderPath) join(path string) string {
	if path == "" {
		return string(folder)
	}
	return string(folder) + "/" + path
}

func (folder folderPath) status(path string, to []byte) error {
	stat := os.Lstat
	if path == "" {
		stat = os.Stat
	}
	info, err := stat(folder.join(path))
	if err != nil {
		return err
	}
	kind := otherFile
	if info.Mode().IsRegular() {
		kind = regularFile
	} else if info.IsDir() {
		kind = folderKind
	}
	changed := info.Sys().(*syscall.Stat_t).Ctim.Nano()
	for i, number := range []int64{int64(kind), info.Size(), info.ModTime().UnixNano(), changed} {
		binary.LittleEndian.PutUint64(to[8*i:], uint64(number))
	}
	return nil
}

func (folder folderPath) read(path string, to []byte) (int, error) {
	// A FIFO would wait for its writer.
	file, err := os.OpenFile(folder.join(path), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = syscall.ENXIO
	}
	if err != nil {
		return 0, err
	}
	if info.Size() > int64(len(to)) {
		return int(min(info.Size(), math.MaxInt32)), nil
	}
	n, err := io.ReadFull(file, to[:info.Size()])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // the file was truncated
	}
	return n, err
}

func (folder folderPath) create(path string, bytes []byte, length uint64, isDurable bool) error {
	file, err := os.OpenFile(folder.join(path), os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	if _, err = file.Write(bytes); err == nil && length > uint64(len(bytes)) {
		err = file.Truncate(int64(length))
	}
	if err == nil && isDurable {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func (folder folderPath) makeFolder(path string) error { return os.Mkdir(folder.join(path), 0o700) }

// rename uses the system call, because os.Rename does not replace an empty folder.
func (folder folderPath) rename(from, to string) error {
	return syscall.Rename(folder.join(from), folder.join(to))
}

func (folder folderPath) remove(path string, isFolder bool) error {
	if isFolder {
		return syscall.Rmdir(folder.join(path))
	}
	return syscall.Unlink(folder.join(path))
}

func (folder folderPath) list(path string, to []byte) (int, error) {
	opened, err := folder.open(path)
	if err != nil {
		return 0, err
	}
	defer opened.Close()
	names, err := opened.Readdirnames(-1)
	text := strings.Join(append(names, ""), "\x00")
	if len(text) <= len(to) {
		copy(to, text)
	}
	return len(text), err
}

func (folder folderPath) sync(path string) error {
	opened, err := folder.open(path)
	if err != nil {
		return err
	}
	defer opened.Close()
	return opened.Sync()
}

func (folder folderPath) open(path string) (*os.File, error) {
	flags := syscall.O_DIRECTORY
	if path != "" {
		flags |= syscall.O_NOFOLLOW
	}
	return os.OpenFile(folder.join(path), flags, 0)
}

// resultOf returns the result of an import of files.
func resultOf(name string, size int, err error) int32 {
	if err == nil {
		return int32(size)
	}
	var reason syscall.Errno
	_ = errors.As(err, &reason)
	switch reason {
	case syscall.ENOENT:
		return fileMissing
	case syscall.EEXIST, syscall.ENOTEMPTY:
		return fileOccupied
	case syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, syscall.ENXIO:
		return fileOther
	}
	// Without the path: it contains identifiers, which must not be logged.
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	fmt.Fprintf(os.Stderr, "store: %s: %v\n", name, err)
	return fileFailed
}
