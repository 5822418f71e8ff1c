import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.Callback;
import portail.FolderStore;
import portail.Portal;

/** Serves the portal of a folder by Jetty and the package portail. */
public final class Serve {
    private static final int PIECE_SIZE = 64 * 1024;
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(10); // for pending requests when the server stops
    private static final int MAX_SKIPPED_BYTES = 1024 * 1024; // bytes of an unread body; with more, the connection is closed

    public static void main(String[] arguments) throws Exception {
        String listen = "127.0.0.1:8080", folder = null;
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--listen" -> listen = arguments[i + 1];
                case "--store" -> folder = arguments[i + 1];
                default -> fail("no such flag: " + arguments[i]);
            }
        }
        if (folder == null) {
            fail("usage: Serve --store FOLDER [--listen ADDRESS:PORT]");
        }
        try {
            Portal portal = new Portal(new FolderStore(Path.of(folder)), System.getenv());
            serve(portal, listen.substring(0, listen.lastIndexOf(':')), Integer.parseInt(listen.substring(listen.lastIndexOf(':') + 1)));
        } catch (Portal.Fault fault) {
            fail(fault.getMessage());
        } catch (IOException fault) {
            fail(fault.toString());
        }
    }

    private static void serve(Portal portal, String host, int port) throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        // The portal validates the target itself.
        configuration.setUriCompliance(UriCompliance.UNSAFE);
        // The cache of a connection's headers ignores case by default, and would replace a token by an earlier one.
        configuration.setHeaderCacheCaseSensitive(true);
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(32 * 1024);
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, new UncheckedTargets(configuration));
        connector.setHost(host);
        connector.setPort(port);
        connector.setShutdownIdleTimeout(DRAIN_TIMEOUT.toMillis()); // Jetty's default is one second
        server.addConnector(connector);
        GracefulHandler requests = new GracefulHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws IOException {
                answer(portal, request, response);
                callback.succeeded();
                return true;
            }
        });
        server.setHandler(requests);
        server.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(connector, requests, portal)));
        System.out.println("Serving HTTP on http://" + host + ":" + connector.getLocalPort() + "/");
    }

    /** After SIGINT or SIGTERM. */
    private static void stop(ServerConnector connector, GracefulHandler requests, Portal portal) {
        try (portal) {
            var answered = requests.shutdown(); // 503 for new requests of open connections
            connector.shutdown();               // accepts no more
            answered.completeOnTimeout(null, DRAIN_TIMEOUT.toSeconds(), TimeUnit.SECONDS).get();
            connector.getServer().stop();
        } catch (Exception fault) {
            System.err.println(fault);
        }
        Runtime.getRuntime().halt(0); // otherwise the status is 128 plus the signal's number
    }

    private static void answer(Portal portal, Request request, Response response) throws IOException {
        InputStream body = Content.Source.asInputStream(request);
        List<Map.Entry<String, String>> headers = new ArrayList<>();
        request.getHeaders().forEach(field -> headers.add(Map.entry(field.getName(), field.getValue() == null ? "" : field.getValue())));
        try (var running = portal.begin(flags(request), request.getMethod(), request.getHttpURI().getPathQuery(), headers)) {
            if (running == null) {
                response.setStatus(503);
                return;
            }
            while (running.state() == Portal.WANTS_BODY) {
                try {
                    running.giveBody(body.readNBytes(PIECE_SIZE));
                } catch (IOException lost) {
                    if (lost.getCause() instanceof TimeoutException) {
                        running.expire();
                    } else {
                        running.loseBody();
                    }
                }
            }
            Portal.Head head = running.head();
            running.next();
            sendHead(head, response);
            boolean isWhole = response.getHeaders().contains(HttpHeader.CONTENT_LENGTH);
            if (running.state() == Portal.PIECE && !isWhole
                    && !running.stream(request.getConnectionMetaData().getConnection().getEndPoint()::close)) {
                response.getHeaders().clear();
                response.setStatus(503);
                return;
            }
            // The next piece is requested after the previous one was sent.
            for (; running.state() == Portal.PIECE; running.next()) {
                Content.Sink.write(response, false, ByteBuffer.wrap(running.data()));
            }
            if (running.state() != Portal.END) {
                throw new IOException("the answer cannot be completed");
            }
            Content.Sink.write(response, true, ByteBuffer.allocate(0));
        }
        if (hasBody(request)) {
            discardRest(body);
        }
    }

    /**
     * Reads the rest of a body that is not needed. If a connection is closed with unread bytes, it may be reset before the client has
     * read the answer.
     */
    private static void discardRest(InputStream body) {
        try {
            body.readNBytes(MAX_SKIPPED_BYTES);
        } catch (IOException gone) {
            // The answer was sent.
        }
    }

    private static void sendHead(Portal.Head head, Response response) {
        response.setStatus(head.status());
        head.headers().forEach(header -> response.getHeaders().add(header.getKey(), header.getValue()));
        if (head.closes()) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
    }

    private static int flags(Request request) {
        // A peer on this machine is regarded as the operator's proxy.
        boolean trusted = request.getConnectionMetaData().getRemoteSocketAddress() instanceof InetSocketAddress peer
                && peer.getAddress().isLoopbackAddress();
        return (trusted ? Portal.FORWARDING_TRUSTED : 0) | (hasBody(request) ? Portal.HAS_BODY : 0);
    }

    private static boolean hasBody(Request request) {
        return request.getLength() != 0;
    }

    private static void fail(String reason) {
        System.err.println(reason);
        System.exit(1);
    }
}
