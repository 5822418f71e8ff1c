package portail;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Fetches a key set for the module. */
final class KeyFetch {
    private KeyFetch() { }

    // Follows no redirect by default.
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /**
     * Returns the result of the module's operation fetch: the status and at most {@code limit} bytes of the body; or 0 and why there is no
     * answer.
     */
    static CompletableFuture<byte[]> start(String url, int limit, Duration timeout) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).header("Accept", "application/json").build();
        return CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
                .thenApplyAsync(answer -> read(answer, limit))
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(fault -> result(0, reasonOf(fault).getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] read(HttpResponse<InputStream> answer, int limit) {
        try (InputStream body = answer.body()) {
            return result(answer.statusCode(), answer.statusCode() == 200 ? body.readNBytes(limit) : new byte[0]);
        } catch (IOException fault) {
            throw new CompletionException(fault);
        }
    }

    private static String reasonOf(Throwable fault) {
        Throwable cause = fault instanceof CompletionException && fault.getCause() != null ? fault.getCause() : fault;
        if (cause instanceof TimeoutException) {
            return "timed out";
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage().replaceAll("\\s+", " ");
    }

    private static byte[] result(int status, byte[] body) {
        return ByteBuffer.allocate(4 + body.length).order(ByteOrder.LITTLE_ENDIAN).putInt(status).put(body).array();
    }
}
