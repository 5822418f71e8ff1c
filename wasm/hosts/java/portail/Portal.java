package portail;

import com.dylibso.chicory.runtime.ByteArrayMemory;
import com.dylibso.chicory.runtime.ExportFunction;
import com.dylibso.chicory.runtime.HostFunction;
import com.dylibso.chicory.runtime.ImportValues;
import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.runtime.WasmFunctionHandle;
import com.dylibso.chicory.wasm.ChicoryException;
import com.dylibso.chicory.wasm.types.FunctionType;
import com.dylibso.chicory.wasm.types.ValType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One instance of portail.wasm, which the package's build has translated to classes, with one portal over a store or a folder. Any thread
 * may call it; one at a time runs in the module, for one step of one request.
 */
public final class Portal implements AutoCloseable {
    // The numbers of wasm/abi/portail.h.
    static final int ABI_VERSION = 3;
    static final int ABSENT = -1;
    static final int DONE = 0, DIFFERENT = 1, UNAVAILABLE = 2, CORRUPT = 3;
    /** States of a request. */
    public static final int WAITING = 1, WANTS_BODY = 2, ANSWERED = 3, PIECE = 4, END = 5, BROKEN = 6;
    /** Flags of a request. */
    public static final int HTTPS = 1, FORWARDING_TRUSTED = 2, DRAINING = 4, HAS_BODY = 8;
    static final int CLOSE = 1;

    /** The settings are invalid, the folder holds no portal, or the module has another ABI version; the text is for the operator. */
    @SuppressWarnings("serial")
    public static final class Fault extends Exception {
        Fault(String message) {
            super(message);
        }
    }

    private interface StoreWork {
        byte[] run() throws IOException;
    }

    private static final byte[] EMPTY = {};

    private final Store store;
    private final SecureRandom random = new SecureRandom();
    private final Instance instance;
    private final Map<String, ExportFunction> functions = new HashMap<>();
    private final int number;
    private int flags; // of all requests

    /** Of {@code settings}, names without the prefix PORTAIL_ are ignored, so System.getenv() will do. */
    public Portal(Store store, Map<String, String> settings) throws Fault {
        this(store, null, settings);
    }

    /** Opens the portal of a folder. */
    public Portal(FolderStore folder, Map<String, String> settings) throws Fault {
        this(null, folder, settings);
    }

    private Portal(Store store, FolderStore folder, Map<String, String> settings) throws Fault {
        this.store = store;
        instance = Instance.builder(PortailModule.load())
                .withMachineFactory(PortailModule::create)
                .withMemoryFactory(ByteArrayMemory::new) // for a compiled module faster than the one over ByteBuffer
                .withImportValues(imports().addFunction(FolderStore.imports(folder)).build())
                .build();
        call("_initialize");
        int version = call("abi_version");
        if (version != ABI_VERSION) {
            throw new Fault("the module has ABI version " + version + "; this package needs " + ABI_VERSION);
        }
        byte[] encoded = new Encoding().headers(withPrefix(settings)).encoded();
        if (folder == null) {
            number = callWith("create", 1, encoded);
        } else {
            byte[] name = folder.path.toString().getBytes(StandardCharsets.UTF_8);
            number = call("create_in_folder", 1, folder.create ? 1 : 0, buffer(name), name.length, buffer(encoded), encoded.length);
        }
        if (number == 0) {
            throw new Fault(new String(read(call("fault"), call("fault_size")), StandardCharsets.UTF_8));
        }
    }

    // Maximum number of concurrent answers in several pieces. Until its last piece, each keeps all its values in the module's memory.
    private static final int MAX_STREAMS = 8;
    // Time without a read by the client, before another answer may replace this one.
    private static final Duration MIN_STALL = Duration.ofSeconds(5);

    private record Stream(long idleSince, Runnable breakOff) { }

    // By the request's handle; the one with the longest idle client comes first.
    private final Map<Integer, Stream> streams = new LinkedHashMap<>();

    /** One request in the module, until it is closed. {@code state} determines the next call. */
    public final class Request implements AutoCloseable {
        private int state;
        private byte[] data;
        private final int request;

        private Request(int request) {
            this.request = request;
            update(call("state", request));
        }

        public int state() {
            return state;
        }

        /** Returns the piece of the answer's body, in the state PIECE. */
        public byte[] data() {
            return data;
        }

        /** Returns the answer's head, in the state ANSWERED. */
        public Head head() {
            var reader = Encoding.reader(data);
            int status = reader.getInt();
            boolean closes = (reader.getInt() & CLOSE) != 0;
            List<String> parts = Encoding.texts(reader, 2 * reader.getInt());
            List<Map.Entry<String, String>> headers = new ArrayList<>();
            for (int i = 0; i < parts.size(); i += 2) {
                headers.add(Map.entry(parts.get(i), parts.get(i + 1)));
            }
            return new Head(status, closes, headers);
        }

        /** Passes bytes of the body; an empty array is its end. */
        public void giveBody(byte[] bytes) {
            synchronized (Portal.this) {
                update(callWith("give_body", request, bytes));
            }
        }

        /** The rest of the body cannot be received. */
        public void loseBody() {
            step("lose_body");
        }

        /** The rest of the body has not arrived in time. */
        public void expire() {
            step("expire");
        }

        /** Advances the answer, after {@code data} was sent. */
        public void next() {
            synchronized (Portal.this) {
                Stream stream = streams.remove(request);
                if (stream != null) {
                    streams.put(request, new Stream(System.nanoTime(), stream.breakOff));
                }
                step("next");
            }
        }

        /**
         * Returns whether an answer in several pieces may be sent; called before the first piece. At the limit, the answer with the
         * longest idle client is cut off by its {@code breakOff}; if no client stalls, the new answer is refused.
         */
        public boolean stream(Runnable breakOff) {
            synchronized (Portal.this) {
                long now = System.nanoTime();
                if (streams.size() == MAX_STREAMS) {
                    var oldest = streams.entrySet().iterator().next();
                    if (now - oldest.getValue().idleSince < MIN_STALL.toNanos()) {
                        System.err.println("request refused: " + MAX_STREAMS + " long answers are being sent");
                        return false;
                    }
                    streams.remove(oldest.getKey());
                    call("end", oldest.getKey());
                    oldest.getValue().breakOff.run();
                }
                streams.put(request, new Stream(now, breakOff));
                return true;
            }
        }

        @Override
        public void close() {
            synchronized (Portal.this) {
                streams.remove(request);
                step("end");
            }
        }

        private void step(String name) {
            synchronized (Portal.this) {
                update(call(name, request));
            }
        }

        // Waits for the request's fetch of keys, if it needs one. Copies the data, which the module keeps only until the next call, under
        // the same lock.
        private void update(int state) {
            while (state == WAITING) {
                waitForChange();
                state = call("state", request);
            }
            this.state = state;
            data = state == ANSWERED || state == PIECE ? read(call("data", request), call("data_size", request)) : EMPTY;
        }
    }

    /** The head of an answer. {@code closes}: the connection must be closed after it. A header has one char for each byte. */
    public record Head(int status, boolean closes, List<Map.Entry<String, String>> headers) { }

    /** From now on /health/ready reports that the portal is shutting down. */
    public synchronized void drain() {
        flags = DRAINING;
    }

    /** Begins a request of its head, for a server of your own. Returns null if too many requests are pending. */
    public synchronized Request begin(int flags, String method, String target, List<Map.Entry<String, String>> headers) {
        byte[] head = new Encoding().number(flags | this.flags).text(method).text(target).headers(headers).encoded();
        int request = callWith("begin", number, head);
        return request == 0 ? null : new Request(request);
    }

    // In UTF-8, one char for each byte, as Encoding needs.
    private static List<Map.Entry<String, String>> withPrefix(Map<String, String> settings) {
        return settings.entrySet().stream()
                .filter(entry -> entry.getKey().regionMatches(true, 0, "PORTAIL_", 0, 8))
                .map(entry -> Map.entry(entry.getKey(),
                        new String(entry.getValue().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1)))
                .toList();
    }

    private synchronized void waitForChange() {
        try {
            wait();
        } catch (InterruptedException ignored) {
            // The caller looks at the state again.
        }
    }

    /** Completes an operation after its import has returned, in any thread. */
    private synchronized void completeLater(int operation, byte[] result) {
        call("complete", operation, DONE, buffer(result), result.length);
        notifyAll();
    }

    /** Ends pending requests. The memory is freed with this object. */
    @Override
    public synchronized void close() {
        call("dispose", number);
        notifyAll();
    }

    private int call(String name, long... arguments) {
        try {
            long[] results = functions.computeIfAbsent(name, instance::export).apply(arguments);
            return results == null || results.length == 0 ? 0 : (int) results[0];
        } catch (ChicoryException trap) {
            System.err.println("the module ended: " + trap);
            Runtime.getRuntime().halt(1); // the instance must not be used any more
            throw trap;
        }
    }

    /** Calls with a buffer of the bytes as the last two arguments. */
    private int callWith(String name, int first, byte[] bytes) {
        return call(name, first, buffer(bytes), bytes.length);
    }

    private int buffer(byte[] bytes) {
        if (bytes.length == 0) {
            return 0;
        }
        int pointer = call("allocate", bytes.length);
        instance.memory().write(pointer, bytes);
        return pointer;
    }

    private byte[] read(int pointer, int size) {
        return instance.memory().readBytes(pointer, size);
    }

    private String text(Instance caller, long pointer, long size) {
        return new String(caller.memory().readBytes((int) pointer, (int) size), StandardCharsets.ISO_8859_1);
    }

    // The store is synchronous, so each of its operations is completed before the import returns.
    private ImportValues.Builder imports() {
        return ImportValues.builder().addFunction(
                function("get_many", 4, (module, arguments) -> complete(arguments[1], () -> {
                    var reader = Encoding.reader(module.memory().readBytes((int) arguments[2], (int) arguments[3]));
                    byte[][] found = store.getMany(Encoding.texts(reader, reader.getInt()));
                    Encoding values = new Encoding().number(found.length);
                    for (byte[] value : found) {
                        if (value == null) {
                            values.number(ABSENT);
                        } else {
                            values.text(value);
                        }
                    }
                    return values.encoded();
                })),
                function("put", 6, (module, arguments) -> complete(arguments[1], () -> {
                    store.put(text(module, arguments[2], arguments[3]), module.memory().readBytes((int) arguments[4], (int) arguments[5]));
                    return EMPTY;
                })),
                function("remove", 4, (module, arguments) -> complete(arguments[1], () -> {
                    store.remove(text(module, arguments[2], arguments[3]));
                    return EMPTY;
                })),
                function("compare_and_swap", 8, (module, arguments) -> complete(arguments[1], () -> {
                    byte[] expected = (int) arguments[5] == ABSENT ? null : module.memory().readBytes((int) arguments[4], (int) arguments[5]);
                    byte[] desired = module.memory().readBytes((int) arguments[6], (int) arguments[7]);
                    return store.compareAndSwap(text(module, arguments[2], arguments[3]), expected, desired) ? EMPTY : null;
                })),
                function("fetch", 6, (module, arguments) -> {
                    String url = text(module, arguments[2], arguments[3]);
                    int operation = (int) arguments[1];
                    KeyFetch.start(url, (int) arguments[4], Duration.ofMillis(arguments[5])).thenAccept(result -> completeLater(operation, result));
                    return null;
                }),
                function("pause", 2, (module, arguments) -> {
                    int operation = (int) arguments[0];
                    CompletableFuture.delayedExecutor(arguments[1], TimeUnit.MILLISECONDS).execute(() -> completeLater(operation, EMPTY));
                    return null;
                }),
                function("write", 4, (module, arguments) -> {
                    int status = callWith("write_in_folder", (int) arguments[0], module.memory().readBytes((int) arguments[2], (int) arguments[3]));
                    call("complete", arguments[1], status, 0, 0);
                    return null;
                }),
                function("wait", 1, (module, arguments) -> {
                    // An interrupted thread waits as long: Thread.sleep would return immediately, each time.
                    new CompletableFuture<>().completeOnTimeout(null, arguments[0], TimeUnit.MILLISECONDS).join();
                    return null;
                }),
                new HostFunction("portail", "now", FunctionType.returning(ValType.I64), (module, arguments) ->
                        new long[] {ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now())}),
                new HostFunction("portail", "monotonic", FunctionType.returning(ValType.I64), (module, arguments) ->
                        new long[] {System.nanoTime() / 1000}),
                function("random", 2, (module, arguments) -> {
                    byte[] bytes = new byte[(int) arguments[1]];
                    random.nextBytes(bytes);
                    module.memory().write((int) arguments[0], bytes);
                    return null;
                }),
                function("log", 5, (module, arguments) -> {
                    String event = text(module, arguments[1], arguments[2]);
                    String detail = text(module, arguments[3], arguments[4]);
                    String line = event.equals("access") ? detail : event + ": " + detail; // of an access it is the whole line
                    System.err.writeBytes((line + "\n").getBytes(StandardCharsets.ISO_8859_1)); // the module's bytes, which are UTF-8
                    return null;
                }));
    }

    private static HostFunction function(String name, int parameters, WasmFunctionHandle body) {
        return new HostFunction("portail", name, FunctionType.of(Collections.nCopies(parameters, ValType.I32), List.of()), body);
    }

    /** {@code work} returns the result's bytes; null: the value differs. */
    private long[] complete(long operation, StoreWork work) {
        int status = DONE;
        byte[] result = EMPTY;
        try {
            byte[] done = work.run();
            status = done == null ? DIFFERENT : DONE;
            result = done == null ? EMPTY : done;
        } catch (Exception fault) {
            System.err.println("store: " + fault);
            status = fault instanceof Store.Damaged ? CORRUPT : UNAVAILABLE;
        }
        call("complete", operation, status, buffer(result), result.length);
        return null;
    }
}
