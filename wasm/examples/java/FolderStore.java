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
 * One file a key, as docs/reference/stores.md lays out the native program's {@code dir:} store. One thread at a time. IOException
 * from any method: not now.
 */
final class FolderStore {
    /** Something is in a value's place that is no value. */
    @SuppressWarnings("serial")
    static final class Damaged extends IOException {
        Damaged(String message) {
            super(message);
        }
    }

    private static final int LARGEST_VALUE = 256 * 1024;
    private static final Pattern KEY = Pattern.compile("[a-z0-9A-F_=.-]{1,200}");

    private final Path folder;
    private final Path unfinished;
    private final KnownValues values = new KnownValues();

    /** Makes the folder where it is missing. */
    FolderStore(Path folder) throws IOException {
        this.folder = folder;
        // No key has a "~". Here the native program looks for what was left behind, and removes it.
        unfinished = folder.resolve("~writers");
        for (Path made : new Path[] {folder, unfinished}) {
            if (!Files.isDirectory(made)) {
                Files.createDirectory(made);
            }
        }
    }

    /** The value, null where there is none. Callers must not change its bytes. */
    byte[] get(String key) throws IOException {
        Path path = path(key);
        byte[] known = values.find(path);
        if (known != null) {
            return known;
        }
        try {
            KnownValues.Moment now = KnownValues.Moment.now();
            var status = KnownValues.look(path);
            // Before it is opened, which would wait for the writer of a FIFO.
            if (!(boolean) status.get("isRegularFile")) {
                throw new Damaged(path + " is not a regular file");
            }
            byte[] value = read(path);
            values.keep(path, status, now, value);
            return value;
        } catch (NoSuchFileException none) {
            return null;
        }
    }

    private static byte[] read(Path path) throws IOException {
        try (var file = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            byte[] value = file.readNBytes(LARGEST_VALUE + 1);
            if (value.length > LARGEST_VALUE) {
                throw new Damaged(path + " is larger than any value");
            }
            return value;
        }
    }

    /** Returns once the value would survive a power loss. Readers see the old one or the new one, whole. */
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

    /** Whether the value was {@code expected}, null for none, and is now {@code desired}. */
    boolean compareAndSwap(String key, byte[] expected, byte[] desired) throws IOException {
        if (!Arrays.equals(get(key), expected)) {
            return false;
        }
        put(key, desired);
        return true;
    }

    /** That there was no value is success. */
    void remove(String key) throws IOException {
        Files.deleteIfExists(path(key));
        syncNames();
    }

    private Path path(String key) throws IOException {
        if (!KEY.matcher(key).matches() || key.equals(".") || key.equals("..")) {
            throw new IOException("\"" + key + "\" is no key");
        }
        return folder.resolve(key);
    }

    private void syncNames() throws IOException {
        try (FileChannel names = FileChannel.open(folder)) {
            names.force(true);
        }
    }
}
