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
 * A cache of the values of files, validated by stat. A cached value is valid while its name refers to the same file, and the file's
 * size and times are unchanged. The times must be older than the read by a minimum age. One thread at a time.
 */
final class ValueCache {
    private static final int MAX_CACHED_VALUES = 128;
    // Minimum age of a file's times when it is read. Two changes that are this far apart have different times on every file
    // system: the coarsest resolution is two seconds. The rest allows for a wall clock that is set back by at most
    // CLOCK_TOLERANCE.
    private static final Duration MIN_AGE = Duration.ofSeconds(4);
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

    /** One instant on two clocks: the wall clock, which sets the times of files, and a monotonic clock. */
    record ClockReading(Instant wall, long steady) {
        static ClockReading now() {
            return new ClockReading(Instant.now(), System.nanoTime());
        }

        /** Returns whether the wall clock was set back: a later change could then repeat earlier times. */
        boolean wasSetBackSince(ClockReading then) {
            return Duration.between(then.wall, wall).compareTo(Duration.ofNanos(steady - then.steady).minus(CLOCK_TOLERANCE)) < 0;
        }
    }

    private record CachedValue(byte[] value, Map<String, Object> status, ClockReading read) { }

    private final Map<Path, CachedValue> cache = new HashMap<>();

    /** Reads a file's attributes. No process can set {@code ctime}. */
    static Map<String, Object> stat(Path path) throws IOException {
        return Files.readAttributes(path, "unix:isRegularFile,dev,ino,size,lastModifiedTime,ctime",
                LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns null on a miss. */
    byte[] find(Path path) {
        CachedValue before = cache.get(path);
        if (before == null) {
            return null;
        }
        try {
            ClockReading now = ClockReading.now();
            if (stat(path).equals(before.status) && !now.wasSetBackSince(before.read)) {
                return before.value;
            }
        } catch (IOException fault) {
            // The read reports the error.
        }
        cache.remove(path);
        return null;
    }

    /** Caches what was read after a stat at {@code before} returned {@code status}, unless a later change could not be detected. */
    void insert(Path path, Map<String, Object> status, ClockReading before, byte[] value) {
        Instant latest = before.wall.minus(MIN_AGE);
        boolean settled = time(status, "lastModifiedTime").compareTo(latest) <= 0 && time(status, "ctime").compareTo(latest) <= 0;
        // If the sizes differ, the file changed between the stat and the read.
        if (!settled || (long) status.get("size") != value.length) {
            return;
        }
        if (cache.size() == MAX_CACHED_VALUES) {
            cache.clear();
        }
        cache.put(path, new CachedValue(value, status, before));
    }

    private static Instant time(Map<String, Object> status, String name) {
        return ((FileTime) status.get(name)).toInstant();
    }
}
