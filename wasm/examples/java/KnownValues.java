import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Values of files that were read before. One counts as unchanged, without being read again, while the name still leads to the
 * same file, its size and times are the same, and these times lie safely before the reading. One thread at a time.
 */
final class KnownValues {
    private static final int MOST_KNOWN = 128;
    // A change that comes at least this long after the one before has other times than that, on every file system: the
    // coarsest has two seconds; the rest is for a clock that is set back by no more than the tolerance.
    private static final Duration MARGIN = Duration.ofSeconds(4);
    private static final Duration TOLERANCE = Duration.ofSeconds(1);

    /** The same moment on the clock that files are stamped by, and on one that is never set. */
    record Moment(Instant wall, long steady) {
        static Moment now() {
            return new Moment(Instant.now(), System.nanoTime());
        }

        /** A change after the clock was set back could have the times of the change before. */
        boolean wasSetBackSince(Moment then) {
            return Duration.between(then.wall, wall).compareTo(Duration.ofNanos(steady - then.steady).minus(TOLERANCE)) < 0;
        }
    }

    private record Known(byte[] value, Map<String, Object> status, Moment read) { }

    private final Map<Path, Known> known = new HashMap<>();

    /** A file's attributes, read without its content. No process can set {@code ctime}. */
    static Map<String, Object> look(Path path) throws IOException {
        return Files.readAttributes(path, "unix:isRegularFile,dev,ino,size,lastModifiedTime,ctime",
                LinkOption.NOFOLLOW_LINKS);
    }

    /** Null where the value must be read. */
    byte[] find(Path path) {
        Known before = known.get(path);
        if (before == null) {
            return null;
        }
        try {
            Moment now = Moment.now();
            if (look(path).equals(before.status) && !now.wasSetBackSince(before.read)) {
                return before.value;
            }
        } catch (IOException fault) {
            // Who reads it finds out.
        }
        known.remove(path);
        return null;
    }

    /** What was read after a look that began at {@code before} found {@code status}. */
    void keep(Path path, Map<String, Object> status, Moment before, byte[] value) {
        Instant latest = before.wall.minus(MARGIN);
        boolean settled = time(status, "lastModifiedTime").compareTo(latest) <= 0 && time(status, "ctime").compareTo(latest) <= 0;
        // Of another size, it has changed between the look and the reading.
        if (!settled || (long) status.get("size") != value.length) {
            return;
        }
        if (known.size() == MOST_KNOWN) {
            known.clear();
        }
        known.put(path, new Known(value, status, before));
    }

    private static Instant time(Map<String, Object> status, String name) {
        return ((FileTime) status.get(name)).toInstant();
    }
}
