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
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import wasm.PortailModule;

/**
 * One instance of portail.wasm, which CompileModule made classes of, with one portal over a store. Any thread may call; one at a time is inside the module, for
 * one step of one request.
 */
final class Portal implements AutoCloseable {
    // The numbers of wasm/abi/portail.h.
    static final int ABI_VERSION = 1;
    static final int ABSENT = -1;
    static final int DONE = 0, DIFFERENT = 1, UNAVAILABLE = 2, CORRUPT = 3;
    static final int WANTS_BODY = 2, ANSWERED = 3, PIECE = 4, END = 5, BROKEN = 6;
    static final int HTTPS = 1, FORWARDING_TRUSTED = 2, HAS_BODY = 8;
    static final int CLOSE = 1;

    /** The settings make no sense, or the module is not one that this program knows; the text is for the operator. */
    @SuppressWarnings("serial")
    static final class Fault extends Exception {
        Fault(String message) {
            super(message);
        }
    }

    private interface StoreWork {
        byte[] run() throws IOException;
    }

    private static final byte[] NOTHING = {};

    private final FolderStore store;
    private final SecureRandom random = new SecureRandom();
    private final Instance instance;
    private final Map<String, ExportFunction> functions = new HashMap<>();
    private final int number;

    Portal(FolderStore store, List<Map.Entry<String, String>> settings) throws Fault {
        this.store = store;
        instance = Instance.builder(PortailModule.load())
                .withMachineFactory(PortailModule::create)
                .withMemoryFactory(ByteArrayMemory::new) // quicker than the one over ByteBuffer, where the module is classes
                .withImportValues(imports())
                .build();
        call("_initialize");
        int version = call("abi_version");
        if (version != ABI_VERSION) {
            throw new Fault("the module has ABI version " + version + ", and this program knows " + ABI_VERSION);
        }
        number = callWith("create", 1, new Encoding().headers(settings).encoded());
        if (number == 0) {
            throw new Fault(new String(read(call("fault"), call("fault_size")), StandardCharsets.UTF_8));
        }
    }

    /** One request inside the module, until it is closed. {@code state} says what it wants next. */
    // Answers of several pieces that are sent at a time. Until its last piece, each holds in the module all values that it is made of.
    private static final int MAX_STREAMS = 8;
    // For which a client has taken nothing, before another answer may have its room.
    private static final Duration MIN_STALL = Duration.ofSeconds(5);

    private record Stream(long waitsSince, Runnable breakOff) { }

    // By the request's number; the one whose client has taken nothing for longest comes first.
    private final Map<Integer, Stream> streams = new LinkedHashMap<>();

    final class Request implements AutoCloseable {
        int state;
        byte[] data;
        private final int request;

        private Request(int request) {
            this.request = request;
            look(call("state", request));
        }

        /** No bytes are the end of the body. */
        void giveBody(byte[] bytes) {
            synchronized (Portal.this) {
                look(callWith("give_body", request, bytes));
            }
        }

        void loseBody() {
            step("lose_body");
        }

        /** The client has taken what was shown. */
        void next() {
            synchronized (Portal.this) {
                Stream stream = streams.remove(request);
                if (stream != null) {
                    streams.put(request, new Stream(System.nanoTime(), stream.breakOff));
                }
                step("next");
            }
        }

        /**
         * Whether one more answer of several pieces may be sent; called before the first. If as many are under way as may be, the one
         * whose client has taken nothing for longest is broken off, by what it gave here; if none of them stalls, the new one is refused.
         */
        boolean stream(Runnable breakOff) {
            synchronized (Portal.this) {
                long now = System.nanoTime();
                if (streams.size() == MAX_STREAMS) {
                    var oldest = streams.entrySet().iterator().next();
                    if (now - oldest.getValue().waitsSince < MIN_STALL.toNanos()) {
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
                look(call(name, request));
            }
        }

        // What the module shows is its own until the next call: it is copied here, under the same lock.
        private void look(int state) {
            this.state = state;
            data = state == ANSWERED || state == PIECE ? read(call("data", request), call("data_size", request)) : NOTHING;
        }
    }

    /** Null where too many requests are under way. */
    synchronized Request begin(int flags, String method, String target, List<Map.Entry<String, String>> headers) {
        byte[] head = new Encoding().number(flags).text(method).text(target).headers(headers).encoded();
        int request = callWith("begin", number, head);
        return request == 0 ? null : new Request(request);
    }

    /** Ends the requests under way. The memory goes with this object. */
    @Override
    public synchronized void close() {
        call("dispose", number);
    }

    private int call(String name, long... arguments) {
        try {
            long[] results = functions.computeIfAbsent(name, instance::export).apply(arguments);
            return results == null || results.length == 0 ? 0 : (int) results[0];
        } catch (ChicoryException trap) {
            System.err.println("the module ended: " + trap);
            Runtime.getRuntime().halt(1); // the instance is of no use any more
            throw trap;
        }
    }

    /** With the bytes in a buffer as the last two arguments. */
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

    // The store answers at once, so each import completes its operation before it returns.
    private ImportValues imports() {
        return ImportValues.builder().addFunction(
                function("get_many", 4, (module, given) -> complete(given[1], () -> {
                    var reader = Encoding.reader(module.memory().readBytes((int) given[2], (int) given[3]));
                    List<String> keys = Encoding.texts(reader, reader.getInt());
                    Encoding values = new Encoding().number(keys.size());
                    for (String key : keys) {
                        byte[] value = store.get(key);
                        if (value == null) {
                            values.number(ABSENT);
                        } else {
                            values.text(value);
                        }
                    }
                    return values.encoded();
                })),
                function("put", 6, (module, given) -> complete(given[1], () -> {
                    store.put(text(module, given[2], given[3]), module.memory().readBytes((int) given[4], (int) given[5]));
                    return NOTHING;
                })),
                function("remove", 4, (module, given) -> complete(given[1], () -> {
                    store.remove(text(module, given[2], given[3]));
                    return NOTHING;
                })),
                function("compare_and_swap", 8, (module, given) -> complete(given[1], () -> {
                    byte[] expected = (int) given[5] == ABSENT ? null : module.memory().readBytes((int) given[4], (int) given[5]);
                    byte[] desired = module.memory().readBytes((int) given[6], (int) given[7]);
                    // One thread at a time is here, so this program does not write in between.
                    return store.compareAndSwap(text(module, given[2], given[3]), expected, desired) ? NOTHING : null;
                })),
                new HostFunction("portail", "now", FunctionType.returning(ValType.I64), (module, given) ->
                        new long[] {ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now())}),
                function("random", 2, (module, given) -> {
                    byte[] bytes = new byte[(int) given[1]];
                    random.nextBytes(bytes);
                    module.memory().write((int) given[0], bytes);
                    return null;
                }),
                function("log", 5, (module, given) -> {
                    System.err.println(text(module, given[1], given[2]) + ": " + text(module, given[3], given[4]));
                    return null;
                })).build();
    }

    private static HostFunction function(String name, int parameters, WasmFunctionHandle body) {
        return new HostFunction("portail", name, FunctionType.of(Collections.nCopies(parameters, ValType.I32), List.of()), body);
    }

    /** {@code work} gives the result's bytes; null: the value was a different one. */
    private long[] complete(long operation, StoreWork work) {
        int status = DONE;
        byte[] result = NOTHING;
        try {
            byte[] done = work.run();
            status = done == null ? DIFFERENT : DONE;
            result = done == null ? NOTHING : done;
        } catch (IOException fault) {
            System.err.println("store: " + fault);
            status = fault instanceof FolderStore.Damaged ? CORRUPT : UNAVAILABLE;
        }
        call("complete", operation, status, buffer(result), result.length);
        return null;
    }
}
