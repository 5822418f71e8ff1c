package portail;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A store with one file for each key, in the layout of the native program's {@code dir:} store (docs/reference/stores.md), which other
 * programs may use concurrently. One thread at a time. An IOException of any method means that the store is unavailable.
 */
public final class FolderStore implements Store {
    private static final int MAX_VALUE_SIZE = 256 * 1024;
    private static final Pattern KEY = Pattern.compile("[a-z0-9A-F_=.-]{1,200}");

    private interface Change {
        void make(FolderLease lease, Path path) throws IOException;
    }

    private interface Condition {
        boolean isTrue(byte[] value);
    }

    private final Path folder;
    private final ValueCache cache;

    /** Opens the folder of a portal. */
    public FolderStore(Path folder) throws IOException, Portal.Fault {
        this(folder, false);
    }

    /** {@code create}: makes the folder if it is missing, and accepts an empty one. */
    public FolderStore(Path folder, boolean create) throws IOException, Portal.Fault {
        this.folder = folder;
        cache = new ValueCache(folder);
        if (create && !exists(folder)) {
            FolderLease.makeFolder(folder);
        }
        String refusal = refusalOf(folder, create);
        if (refusal != null) {
            throw new Portal.Fault(folder + " " + refusal);
        }
        FolderLease.makeFolder(folder.resolve("~writers"));
    }

    /** Returns why the folder is not a portal's; null if it is. */
    private static String refusalOf(Path folder, boolean mayBeEmpty) throws IOException {
        String remedy = "`portail import --store dir:" + folder + " DOCUMENT` makes one there";
        if (!exists(folder)) {
            return "does not exist: " + remedy;
        }
        if (!Files.isDirectory(folder)) {
            return "is not a folder";
        }
        if (exists(folder.resolve("format"))) {
            return null;
        }
        try (var entries = Files.list(folder)) {
            List<String> names = entries.map(entry -> entry.getFileName().toString()).sorted().toList();
            var other = names.stream().filter(name -> !name.startsWith("~") && !name.equals("lost+found")).findFirst();
            if (other.isPresent() && !names.contains("~writers")) {
                return "holds other files and no store (" + other.get() + "): name an empty or a new folder";
            }
        }
        return mayBeEmpty ? null : "holds no portal: " + remedy;
    }

    /** Throws if this cannot be found out, as behind an unreadable folder. */
    private static boolean exists(Path path) throws IOException {
        try {
            Files.readAttributes(path, BasicFileAttributes.class);
            return true;
        } catch (NoSuchFileException none) {
            return false;
        }
    }

    /** Returns a value for each key, null for an absent one. Callers must not change its bytes. */
    @Override
    public byte[][] getMany(List<String> keys) throws IOException {
        cache.validate();
        byte[][] values = new byte[keys.size()][];
        for (int i = 0; i < values.length; ++i) {
            String key = keys.get(i);
            values[i] = cache.get(key, () -> read(path(key)));
        }
        return values;
    }

    private static byte[] read(Path path) throws IOException {
        try {
            // Checked before the open, which would wait for the writer of a FIFO.
            if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isRegularFile()) {
                throw new Damaged(path + " is not a regular file");
            }
            try (var file = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
                byte[] value = file.readNBytes(MAX_VALUE_SIZE + 1);
                if (value.length > MAX_VALUE_SIZE) {
                    throw new Damaged(path + " is larger than any value");
                }
                return value;
            }
        } catch (NoSuchFileException none) {
            return null;
        }
    }

    /** Returns when the value is durable. Readers see either the old or the new value as a whole. */
    @Override
    public void put(String key, byte[] value) throws IOException {
        change(key, value, FolderLease::replace, null);
    }

    /** Sets the value to {@code desired} if it is {@code expected} (null: absent). Returns whether it did. Atomic among all programs. */
    @Override
    public boolean compareAndSwap(String key, byte[] expected, byte[] desired) throws IOException {
        return change(key, desired, FolderLease::replace, value -> Arrays.equals(value, expected));
    }

    /** Succeeds if the key has no value. */
    @Override
    public void remove(String key) throws IOException {
        change(key, new byte[0], FolderLease::remove, null);
    }

    private boolean change(String key, byte[] value, Change change, Condition condition) throws IOException {
        Path path = path(key);
        try (FolderLease lease = FolderLease.acquire(folder, value)) {
            if (condition != null && !condition.isTrue(read(path))) {
                return false;
            }
            if (!ValueCache.isVolatile(key)) {
                lease.beginRevision();
            }
            change.make(lease, path);
        }
        syncNames();
        return true;
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
