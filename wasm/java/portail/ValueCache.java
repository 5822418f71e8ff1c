package portail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A cache of the values of a folder at one revision: until the file {@code ~revision} changes, no value has changed (FolderLease.java).
 * One thread at a time.
 */
final class ValueCache {
    private static final long MAX_BYTES = 16 * 1024 * 1024;
    private static final int ENTRY_SIZE = 512; // bytes that an entry takes beside its value
    // Reading changes them, which does not change the revision. Each read reads their current value.
    private static final List<String> VOLATILE = List.of("consultation.", "audit.", "config.");

    /** Reads a value; null if the key has none. */
    interface Reader {
        byte[] read() throws IOException;
    }

    private final Path file;
    private Map<String, Object> revision; // null: no value is cached
    private final Map<String, byte[]> values = new HashMap<>();
    private long bytes;

    ValueCache(Path folder) {
        file = folder.resolve("~revision");
    }

    static boolean isVolatile(String key) {
        return VOLATILE.stream().anyMatch(key::startsWith);
    }

    /** Must be called before the reads of a batch. */
    void validate() {
        Map<String, Object> current = statRevision();
        if (current == null || !current.equals(revision)) {
            clear();
        }
        revision = current;
    }

    /** Returns the cached value, or what {@code reader} returns; null if the key has no value. */
    byte[] get(String key, Reader reader) throws IOException {
        if (values.containsKey(key)) {
            return values.get(key);
        }
        byte[] value = reader.read();
        if (revision != null && !isVolatile(key)) {
            insert(key, value);
        }
        return value;
    }

    private void insert(String key, byte[] value) {
        bytes += ENTRY_SIZE + (value == null ? 0 : value.length);
        if (bytes > MAX_BYTES) {
            clear();
        } else {
            values.put(key, value);
        }
    }

    private void clear() {
        values.clear();
        bytes = 0;
    }

    /** Returns null if there is no revision, or if a writer has begun a change and not finished it: the size is odd. */
    private Map<String, Object> statRevision() {
        try {
            var status = Files.readAttributes(file, "unix:isRegularFile,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
            return (boolean) status.get("isRegularFile") && (long) status.get("size") % 2 == 0 ? status : null;
        } catch (IOException none) {
            return null;
        }
    }
}
