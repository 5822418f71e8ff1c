import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * A store with one file for each key, in the layout of the native program's {@code dir:} store (docs/reference/stores.md). One thread
 * at a time. An IOException of any method means that the store is unavailable.
 */
final class FolderStore {
    /** The file of a key is not a valid value. */
    @SuppressWarnings("serial")
    static final class Damaged extends IOException {
        Damaged(String message) {
            super(message);
        }
    }

    private static final int MAX_VALUE_SIZE = 256 * 1024;
    private static final Pattern KEY = Pattern.compile("[a-z0-9A-F_=.-]{1,200}");

    private final Path folder;
    private final Path unfinished;
    private final ValueCache cache = new ValueCache();

    /** Creates the folder if it is missing. */
    FolderStore(Path folder) throws IOException {
        this.folder = folder;
        // Keys contain no "~". The native program removes stale files in this folder.
        unfinished = folder.resolve("~writers");
        for (Path directory : new Path[] {folder, unfinished}) {
            if (!Files.isDirectory(directory)) {
                Files.createDirectory(directory);
            }
        }
    }

    /** Returns the value, or null. Callers must not change its bytes. */
    byte[] get(String key) throws IOException {
        Path path = path(key);
        byte[] cached = cache.find(path);
        if (cached != null) {
            return cached;
        }
        try {
            ValueCache.ClockReading now = ValueCache.ClockReading.now();
            var status = ValueCache.stat(path);
            // Checked before the open, which would wait for the writer of a FIFO.
            if (!(boolean) status.get("isRegularFile")) {
                throw new Damaged(path + " is not a regular file");
            }
            byte[] value = read(path);
            cache.insert(path, status, now, value);
            return value;
        } catch (NoSuchFileException none) {
            return null;
        }
    }

    private static byte[] read(Path path) throws IOException {
        try (var file = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            byte[] value = file.readNBytes(MAX_VALUE_SIZE + 1);
            if (value.length > MAX_VALUE_SIZE) {
                throw new Damaged(path + " is larger than any value");
            }
            return value;
        }
    }

    /** Returns when the value is durable. Readers see either the old or the new value as a whole. */
    void put(String key, byte[] value) throws IOException {
        Path path = path(key);
        Path temporary = Files.createTempFile(unfinished, "java", "");
        try {
            Files.write(temporary, value, StandardOpenOption.SYNC);
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
        syncNames();
    }

    /** Sets the value to {@code desired} if it is {@code expected} (null: absent). Returns whether it did. */
    boolean compareAndSwap(String key, byte[] expected, byte[] desired) throws IOException {
        if (!Arrays.equals(get(key), expected)) {
            return false;
        }
        put(key, desired);
        return true;
    }

    /** Succeeds if the key has no value. */
    void remove(String key) throws IOException {
        Files.deleteIfExists(path(key));
        syncNames();
    }

    private Path path(String key) throws IOException {
        if (!KEY.matcher(key).matches() || key.equals(".") || key.equals("..")) {
            throw new IOException("\"" + key + "\" is not a valid key");
        }
        return folder.resolve(key);
    }

    private void syncNames() throws IOException {
        try (FileChannel names = FileChannel.open(folder)) {
            names.force(true);
        }
    }
}
