package portail;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;

/**
 * One write. Of all programs that write to the folder, one at a time holds the lease (core/files/folder_writer.hpp).
 *
 * <p>A writer creates the folder {@code ~writers/TOKEN/TOKEN} with its file. It acquires the lease by renaming {@code ~writers/TOKEN} to
 * {@code ~writers/holder}, which fails while another writer's folder is inside. It makes each change by a rename from or to
 * {@code ~writers/holder/TOKEN}. If it is killed or suspended, another writer revokes its lease by removing that folder: from then on
 * each of its renames fails.
 *
 * <p>The size of the file {@code ~revision} is odd while values change, and even between changes. Readers that find the same even one
 * again use the values that they have cached (ValueCache.java).
 */
final class FolderLease implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(5); // after which the lease of the same holder is revoked
    private static final Duration MAX_WAIT = Duration.ofSeconds(30);
    private static final Duration MIN_BACKOFF = Duration.ofMillis(1); // between two attempts
    private static final Duration MAX_BACKOFF = Duration.ofMillis(16);
    private static final int MAX_REFUSALS = 100;
    private static final FileAttribute<?> FOLDER_MODE = mode("rwx------");
    private static final FileAttribute<?> FILE_MODE = mode("rw-------");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path writers;
    private final Path own;
    private final Path inside; // until the lease is acquired
    private final Path lease;
    private final Path leased; // exists while this writer holds the lease
    private final Path revisionFile;
    private long revision; // the odd size, after beginRevision

    private FolderLease(Path folder) {
        byte[] random = new byte[16];
        RANDOM.nextBytes(random);
        String token = HexFormat.of().formatHex(random);
        writers = folder.resolve("~writers");
        own = writers.resolve(token);
        inside = own.resolve(token);
        lease = writers.resolve("holder");
        leased = lease.resolve(token);
        revisionFile = folder.resolve("~revision");
    }

    /** Makes the folder if it is missing. */
    static void makeFolder(Path folder) throws IOException {
        try {
            Files.createDirectory(folder, FOLDER_MODE);
        } catch (FileAlreadyExistsException present) {
            if (!Files.isDirectory(folder)) {
                throw present;
            }
        }
    }

    /** Waits for the lease. {@code value} is what {@code replace} stores. */
    static FolderLease acquire(Path folder, byte[] value) throws IOException {
        FolderLease lease = new FolderLease(folder);
        try {
            lease.stage(value);
            lease.await();
            lease.refuseOlderPrograms();
            return lease;
        } catch (IOException fault) {
            lease.close();
            throw fault;
        }
    }

    /** Must be called before a value changes that readers cache. */
    void beginRevision() throws IOException {
        long size = 0;
        try {
            size = Files.size(revisionFile);
        } catch (NoSuchFileException none) {
            // This writer creates it.
        }
        revision = size | 1;
        if (size != revision) { // else a writer was killed
            setRevision(revision);
        }
    }

    void replace(Path path) throws IOException {
        rename(leased.resolve("0"), path);
    }

    /** Succeeds if the file does not exist. */
    void remove(Path path) throws IOException {
        try {
            rename(path, leased.resolve("0"));
        } catch (NoSuchFileException none) {
            if (!Files.isDirectory(leased)) {
                throw none;
            }
        }
    }

    /** Finishes the revision, and releases the lease, unless another writer has revoked it. */
    @Override
    public void close() {
        if (revision != 0) {
            attempt(() -> setRevision(revision + 1)); // if it stays odd, readers read each file until the next write
        }
        attempt(() -> rename(leased, own));
        for (Path folder : new Path[] {inside, own}) {
            attempt(() -> Files.deleteIfExists(folder.resolve("0")));
            attempt(() -> Files.deleteIfExists(folder.resolve("revision")));
            attempt(() -> Files.deleteIfExists(folder));
        }
    }

    private void stage(byte[] value) throws IOException {
        Files.createDirectory(own, FOLDER_MODE);
        Files.createDirectory(inside, FOLDER_MODE);
        try (FileChannel file = create(inside.resolve("0"))) {
            for (ByteBuffer rest = ByteBuffer.wrap(value); rest.hasRemaining();) {
                file.write(rest);
            }
            file.force(true);
        }
    }

    private void await() throws IOException {
        long start = System.nanoTime();
        long heldSince = start;
        Path lastHolder = null;
        for (Duration backoff = MIN_BACKOFF;; backoff = min(backoff.multipliedBy(2), MAX_BACKOFF)) {
            try {
                rename(own, lease);
                return;
            } catch (NoSuchFileException removed) {
                throw removed;
            } catch (FileSystemException held) { // Java has no exception of its own for this error
                if (System.nanoTime() - start >= MAX_WAIT.toNanos()) {
                    throw new IOException("timed out waiting for the lease", held);
                }
            }
            Path holder = firstEntry(lease);
            if (holder == null || !holder.equals(lastHolder)) {
                lastHolder = holder;
                heldSince = System.nanoTime();
            } else if (System.nanoTime() - heldSince >= TIMEOUT.toNanos()) {
                revoke(holder);
            }
            sleep(backoff);
        }
    }

    /** Removes the holder's folder with its files. The holder may have removed it itself. */
    private static void revoke(Path holder) throws IOException {
        for (Path file = firstEntry(holder); file != null; file = firstEntry(holder)) {
            Files.deleteIfExists(file);
        }
        attempt(() -> Files.deleteIfExists(holder));
    }

    /** Replaces the lease of programs that do not know revisions by a file. A holder of theirs loses it. */
    private void refuseOlderPrograms() throws IOException {
        Path older = writers.resolve("lease");
        for (int i = 0; i < MAX_REFUSALS; ++i) {
            if (Files.exists(older, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(older, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            Path holder = firstEntry(older);
            if (holder != null) {
                revoke(holder);
            }
            attempt(() -> Files.deleteIfExists(older));
            try {
                create(older).close();
            } catch (FileAlreadyExistsException held) {
                // by a program that has just acquired it
            }
        }
        throw new IOException("an older program keeps " + older + ": stop it");
    }

    /** Replaces the file by one of that size. */
    private void setRevision(long size) throws IOException {
        Path made = leased.resolve("revision");
        try (FileChannel file = create(made)) {
            file.write(ByteBuffer.allocate(1), size - 1);
        }
        rename(made, revisionFile);
    }

    /** Returns null if the folder is empty or missing. */
    private static Path firstEntry(Path folder) throws IOException {
        try (var entries = Files.newDirectoryStream(folder)) {
            var first = entries.iterator();
            return first.hasNext() ? first.next() : null;
        } catch (NoSuchFileException | DirectoryIteratorException none) { // the latter if it is removed meanwhile
            return null;
        }
    }

    private static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    private static FileChannel create(Path path) throws IOException {
        return FileChannel.open(path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), FILE_MODE);
    }

    private static FileAttribute<?> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static void sleep(Duration duration) throws IOException {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for the lease");
        }
    }

    private interface Action {
        void run() throws IOException;
    }

    private static void attempt(Action action) {
        try {
            action.run();
        } catch (IOException ignored) {
            // Another writer has made this change, or the next one makes it.
        }
    }
}
