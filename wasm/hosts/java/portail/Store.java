package portail;

import java.io.IOException;
import java.util.List;

/**
 * The values of a portal by their keys. A portal calls one method at a time, in any thread. An exception means that the store is
 * unavailable, and the outcome of a write unknown: the request gets 503. After {@link Damaged} it gets 500.
 */
public interface Store {
    /** The stored bytes of a key are not a valid value. */
    @SuppressWarnings("serial")
    final class Damaged extends IOException {
        public Damaged(String message) {
            super(message);
        }
    }

    /** Returns a value for each key, null for an absent one. Callers do not change its bytes. */
    byte[][] getMany(List<String> keys) throws IOException;

    /** Returns when the value is durable. */
    void put(String key, byte[] value) throws IOException;

    /** Succeeds if the key has no value. */
    void remove(String key) throws IOException;

    /** Sets the value to {@code desired} if it is {@code expected} (null: absent). Returns whether it did. */
    boolean compareAndSwap(String key, byte[] expected, byte[] desired) throws IOException;
}
