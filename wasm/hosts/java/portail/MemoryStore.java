package portail;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Values that end with the process. Any thread. */
public final class MemoryStore implements Store {
    private final Map<String, byte[]> values = new HashMap<>();

    @Override
    public synchronized byte[][] getMany(List<String> keys) {
        return keys.stream().map(values::get).toArray(byte[][]::new);
    }

    @Override
    public synchronized void put(String key, byte[] value) {
        values.put(key, value);
    }

    @Override
    public synchronized void remove(String key) {
        values.remove(key);
    }

    @Override
    public synchronized boolean compareAndSwap(String key, byte[] expected, byte[] desired) {
        if (!Arrays.equals(values.get(key), expected)) {
            return false;
        }
        values.put(key, desired);
        return true;
    }
}
