import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** The constant server in Jetty, compared with the portal: the same answer to all requests. */
public final class Constant {
    public static void main(String[] arguments) throws Exception {
        ByteBuffer body = ByteBuffer.wrap(Files.readAllBytes(Path.of("body"))).asReadOnlyBuffer();
        List<String[]> headers = Files.readAllLines(Path.of("headers")).stream().map(line -> line.split(": ", 2)).toList();
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(configuration));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                headers.forEach(header -> response.getHeaders().add(header[0], header[1]));
                response.write(true, body.slice(), callback);
                return true;
            }
        });
        server.start();
        System.out.println("listening on http://127.0.0.1:" + connector.getLocalPort());
    }
}
