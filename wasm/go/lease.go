package portail

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	leaseTimeout = 5 * time.Second // after which the lease of the same holder is revoked
	maxLeaseWait = 30 * time.Second
	minBackoff   = time.Millisecond // between two attempts
	maxBackoff   = 16 * time.Millisecond
	maxRefusals  = 100
)

// folderLease is one write. Of all programs that write to the folder, one at a time holds the lease (core/files/folder_writer.hpp).
//
// A writer creates the folder ~writers/TOKEN/TOKEN with its file. It acquires the lease by renaming ~writers/TOKEN to ~writers/holder,
// which fails while another writer's folder is inside. It makes each change by a rename from or to ~writers/holder/TOKEN. If it is
// killed or suspended, another writer revokes its lease by removing that folder: from then on each of its renames fails.
//
// The size of the file ~revision is odd while values change, and even between changes. Readers that find the same even one again use
// the values that they have cached (value_cache.go).
type folderLease struct {
	folder   string
	own      string // ~writers/TOKEN
	leased   string // ~writers/holder/TOKEN, which exists while this writer holds the lease
	revision int64  // the odd size, after beginRevision
}

// acquireLease waits for the lease. `value` is what replace stores. The caller must call release.
func acquireLease(folder string, value []byte) (*folderLease, error) {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // it never fails
	token, writers := hex.EncodeToString(random), filepath.Join(folder, "~writers")
	lease := &folderLease{folder: folder, own: filepath.Join(writers, token), leased: filepath.Join(writers, "holder", token)}
	err := stage(lease.own, token, value)
	if err == nil {
		err = lease.acquire(writers)
	}
	if err == nil {
		err = refuseOlderPrograms(writers)
	}
	if err != nil {
		lease.release()
		return nil, err
	}
	return lease, nil
}

// beginRevision must be called before a value changes that readers cache.
func (lease *folderLease) beginRevision() error {
	info, err := os.Lstat(lease.revisionFile())
	if errors.Is(err, fs.ErrNotExist) {
		lease.revision = 1
	} else if err != nil {
		return err
	} else if lease.revision = info.Size() | 1; lease.revision == info.Size() {
		return nil // a writer was killed
	}
	return lease.setRevision(lease.revision)
}

func (lease *folderLease) replace(path string) error {
	return os.Rename(lease.staged(), path)
}

// remove succeeds if the file does not exist.
func (lease *folderLease) remove(path string) error {
	err := os.Rename(path, lease.staged())
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(lease.leased)
	}
	return err
}

// release finishes the revision, and releases the lease, unless another writer has revoked it.
func (lease *folderLease) release() {
	if lease.revision != 0 {
		_ = lease.setRevision(lease.revision + 1) // if it stays odd, readers read each file until the next write
	}
	_ = os.Rename(lease.leased, lease.own)
	_ = os.RemoveAll(lease.own)
}

func (lease *folderLease) staged() string       { return filepath.Join(lease.leased, "0") }
func (lease *folderLease) revisionFile() string { return filepath.Join(lease.folder, "~revision") }

func (lease *folderLease) setRevision(size int64) error {
	made := filepath.Join(lease.leased, "revision")
	err := createFile(made, func(file *os.File) error { return file.Truncate(size) })
	if err == nil {
		err = os.Rename(made, lease.revisionFile())
	}
	return err
}

func (lease *folderLease) acquire(writers string) error {
	start := time.Now()
	lastHolder, heldSince := "", start
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		// os.Rename replaces no folder, also not an empty one.
		err := syscall.Rename(lease.own, filepath.Dir(lease.leased))
		if !errors.Is(err, fs.ErrExist) { // also the error of a folder that is not empty
			return err
		}
		if holder := firstEntry(filepath.Dir(lease.leased)); holder != lastHolder {
			lastHolder, heldSince = holder, time.Now()
		} else if holder != "" && time.Since(heldSince) >= leaseTimeout {
			_ = os.RemoveAll(filepath.Join(filepath.Dir(lease.leased), holder))
		}
		if time.Since(start) >= maxLeaseWait {
			return errors.New("timed out waiting for the lease")
		}
		time.Sleep(backoff)
	}
}

// refuseOlderPrograms replaces the lease of programs that do not know revisions by a file. A holder of theirs loses it.
func refuseOlderPrograms(writers string) error {
	path := filepath.Join(writers, "lease")
	for range maxRefusals {
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			return nil
		}
		_ = os.RemoveAll(path)
		if err := createFile(path, func(*os.File) error { return nil }); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("an older program keeps %s: stop it", path)
}

func stage(own, token string, value []byte) error {
	inside := filepath.Join(own, token)
	if err := os.Mkdir(own, 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(inside, 0o700); err != nil {
		return err
	}
	return createFile(filepath.Join(inside, "0"), func(file *os.File) error {
		_, err := file.Write(value)
		return errors.Join(err, file.Sync())
	})
}

func createFile(path string, fill func(*os.File) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(fill(file), file.Close())
}

// firstEntry returns "" if the folder is empty or missing.
func firstEntry(folder string) string {
	opened, err := os.Open(folder)
	if err != nil {
		return ""
	}
	defer opened.Close()
	names, _ := opened.Readdirnames(1)
	if len(names) == 0 {
		return ""
	}
	return names[0]
}
