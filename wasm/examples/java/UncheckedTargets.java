import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;

/**
 * Jetty itself rejects a target with a malformed escape ("/%zz") or "%00", before any handler, and without the contract's error.
 * Both are replaced by "%2F", so that the request reaches the portal, which rejects it in the same way.
 */
final class UncheckedTargets extends HttpConnectionFactory {
    private static final Pattern MALFORMED = Pattern.compile("%(?![0-9A-Fa-f]{2})|%00");

    UncheckedTargets(HttpConfiguration configuration) {
        super(configuration);
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
        return configure(new LenientConnection(getHttpConfiguration(), connector, endPoint), connector, endPoint);
    }

    static String repaired(String target) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        return MALFORMED.matcher(path).replaceAll("%2F") + target.substring(path.length());
    }

    private static final class LenientConnection extends HttpConnection {
        LenientConnection(HttpConfiguration configuration, Connector connector, EndPoint endPoint) {
            super(configuration, connector, endPoint);
        }

        @Override
        protected RequestHandler newRequestHandler() {
            return new LenientHandler();
        }

        private final class LenientHandler extends RequestHandler {
            @Override
            public void startRequest(String method, String target, HttpVersion version) {
                super.startRequest(method, repaired(target), version);
            }
        }
    }
}
