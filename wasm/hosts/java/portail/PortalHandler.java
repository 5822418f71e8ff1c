package portail;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A portal as a handler of the JDK's HTTP server, for the context "/". The server itself answers malformed targets ("/%zz"). */
public final class PortalHandler implements HttpHandler {
    private static final int PIECE_SIZE = 64 * 1024;

    private final Portal portal;
    private final Predicate<HttpExchange> trustsForwarding;

    /** No request comes from a proxy. */
    public PortalHandler(Portal portal) {
        this(portal, exchange -> false);
    }

    /** {@code trustsForwarding}: X-Forwarded-Proto and Forwarded come from your own proxy (PORTAIL_TRANSPORT=forwarded). */
    public PortalHandler(Portal portal, Predicate<HttpExchange> trustsForwarding) {
        this.portal = portal;
        this.trustsForwarding = trustsForwarding;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange; var request = portal.begin(flags(exchange), exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers(exchange))) {
            if (request == null) {
                exchange.sendResponseHeaders(503, -1);
                return;
            }
            InputStream body = exchange.getRequestBody();
            while (request.state() == Portal.WANTS_BODY) {
                try {
                    request.giveBody(body.readNBytes(PIECE_SIZE));
                } catch (SocketTimeoutException late) {
                    request.expire();
                } catch (IOException lost) {
                    request.loseBody();
                }
            }
            answer(exchange, request);
        }
    }

    private static void answer(HttpExchange exchange, Portal.Request request) throws IOException {
        Portal.Head head = request.head();
        request.next();
        long size = 0; // to the server: in chunks
        for (var header : head.headers()) {
            if (header.getKey().equalsIgnoreCase("Content-Length")) {
                size = Long.parseLong(header.getValue());
            }
        }
        boolean isWhole = size > 0;
        if (request.state() == Portal.PIECE && !isWhole && !request.stream(exchange::close)) {
            exchange.sendResponseHeaders(503, -1);
            return;
        }
        boolean hasBody = request.state() == Portal.PIECE;
        for (var header : head.headers()) {
            if (!hasBody || !header.getKey().equalsIgnoreCase("Content-Length")) {
                exchange.getResponseHeaders().add(header.getKey(), header.getValue());
            }
        }
        if (head.closes()) {
            exchange.getResponseHeaders().set("Connection", "close");
        }
        exchange.sendResponseHeaders(head.status(), hasBody ? size : -1);
        if (!hasBody) {
            return;
        }
        OutputStream out = exchange.getResponseBody();
        for (; request.state() == Portal.PIECE; request.next()) {
            out.write(request.data());
        }
        if (request.state() != Portal.END) {
            throw new IOException("the answer cannot be completed"); // the server closes the connection
        }
        out.close();
    }

    private int flags(HttpExchange exchange) {
        var headers = exchange.getRequestHeaders();
        boolean hasBody = headers.containsKey("Transfer-Encoding") || !"0".equals(headers.getOrDefault("Content-Length", List.of("0")).get(0));
        return (exchange instanceof HttpsExchange ? Portal.HTTPS : 0) | (trustsForwarding.test(exchange) ? Portal.FORWARDING_TRUSTED : 0)
                | (hasBody ? Portal.HAS_BODY : 0);
    }

    private static List<Map.Entry<String, String>> headers(HttpExchange exchange) {
        List<Map.Entry<String, String>> headers = new ArrayList<>();
        exchange.getRequestHeaders().forEach((name, values) -> values.forEach(value -> headers.add(Map.entry(name, value))));
        return headers;
    }
}
