import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import portail.Development;
import portail.FolderStore;
import portail.MemoryStore;
import portail.Portal;
import portail.PortalHandler;
import portail.Store;

/** The cases of java_package_test.py. */
public class PackageTest {
    private static final Map<String, String> SETTINGS =
            Map.of("PORTAIL_ISSUER", "https://identity.example/", "PORTAIL_AUDIENCE", "portail", "PORTAIL_TRANSPORT", "loopback", "PATH", "/bin",
                    "PORTAIL_PORT", "tcp://10.0.0.1:8443"); // a link of Kubernetes

    public static void main(String[] arguments) throws Exception {
        try {
            faultsOfSettingsAreOneLine();
            memoryStore();
            folderStores();
            development();
            answers();
            aStoreThatFails();
        } catch (Throwable fault) {
            fault.printStackTrace();
            System.exit(1); // a server may still run
        }
    }

    private static void faultsOfSettingsAreOneLine() {
        expect(faultOf(Map.of()), "no issuer: set PORTAIL_ISSUER to the iss of the tokens");
        expect(faultOf(with("PORTAIL_TENNANT", "a")), "unknown setting PORTAIL_TENNANT; did you mean PORTAIL_TENANT?");
        expect(faultOf(with("PORTAIL_LEEWAY", "soon")), "PORTAIL_LEEWAY must be 0 to 300 seconds, not soon");
    }

    private static void memoryStore() {
        MemoryStore store = new MemoryStore();
        expect(store.compareAndSwap("a", new byte[] {1}, new byte[] {2}), false);
        expect(store.compareAndSwap("a", null, new byte[] {3}), true);
        expect(store.compareAndSwap("a", new byte[] {3}, new byte[] {4}), true);
        byte[][] values = store.getMany(List.of("a", "b"));
        expect(values[0][0], (byte) 4);
        expect(values[1], null);
        store.remove("a");
        expect(store.getMany(List.of("a"))[0], null);
    }

    private interface Make {
        void at(Path folder) throws IOException;
    }

    private record Case(String name, Make make, String opened, String created) {}

    private static void folderStores() throws Exception {
        Make nothing = folder -> {};
        String missing = "FOLDER does not exist: `portail import --store dir:FOLDER DOCUMENT` makes one there";
        String others = "FOLDER holds other files and no store (notes): name an empty or a new folder";
        for (Case each : List.of(
                new Case("missing", nothing, missing, null),
                new Case("empty", Files::createDirectory, "FOLDER holds no portal: `portail import --store dir:FOLDER DOCUMENT` makes one there", null),
                new Case("other", folder -> makeFolderWith(folder, "notes", "~backup", "lost+found"), others, others),
                new Case("file", nothing, "FOLDER is not a folder", "FOLDER is not a folder"),
                new Case("file/below", nothing, "FOLDER: Not a directory", "FOLDER: Not a directory"),
                new Case("a".repeat(256), nothing, "FOLDER: File name too long", "FOLDER: File name too long"),
                new Case("missing/below", nothing, missing, "FOLDER"), // of a NoSuchFileException
                new Case("portal", folder -> makeFolderWith(folder, "format"), null, null))) {
            for (boolean create : new boolean[] {false, true}) {
                Path parent = Files.createTempDirectory("portail-java-");
                Files.createFile(parent.resolve("file"));
                Path folder = parent.resolve(each.name);
                each.make.at(folder);
                String expected = create ? each.created : each.opened;
                expect(refusalOf(folder, create), expected == null ? null : expected.replace("FOLDER", folder.toString()));
                try (var files = Files.walk(parent)) {
                    files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
                }
            }
        }
    }

    private static String refusalOf(Path folder, boolean create) throws IOException {
        try {
            new FolderStore(folder, create).put("a", new byte[] {1});
            expect(new FolderStore(folder, create).getMany(List.of("a"))[0][0], (byte) 1);
            return null;
        } catch (Portal.Fault | IOException fault) {
            return fault.getMessage();
        }
    }

    private static void makeFolderWith(Path folder, String... names) throws IOException {
        Files.createDirectory(folder);
        for (String name : names) {
            Files.writeString(folder.resolve(name), "1");
        }
    }

    private static void development() throws Exception {
        Development development = new Development();
        HttpServer server = serve(new Portal(development.store(), development.settings()));
        String dashboard = "/api/app/liasse/dashboard-list";
        expect(ask(server, "GET", "/api/app/liasse/L-2024-0002", development.token("sub-client-1")).startsWith("200 {\"id\":\"L-2024-0002\","), true);
        expect(ask(server, "GET", dashboard, development.token("sub-gestionnaire-1")).substring(0, 3), "403");
        expect(ask(server, "GET", dashboard, development.token("sub-gestionnaire-1", "gestionnaire")).substring(0, 3), "200");
        expect(ask(server, "GET", "/api/app/liasse", development.token("\"quoted\\")), "200 []");
        expect(ask(server, "GET", "/api/app/liasse", new Development().token("sub-client-1")).substring(0, 3), "401");
        server.stop(0);
    }

    private static void answers() throws Exception {
        Portal portal = new Portal(new MemoryStore(), SETTINGS);
        HttpServer server = serve(portal);
        expect(ask(server, "GET", "/health/live"), "200 {\"status\":\"Healthy\",\"parts\":{}}");
        expect(ask(server, "HEAD", "/health/live"), "200 ");
        expect(ask(server, "GET", "/health/ready"), "503 {\"status\":\"Unhealthy\",\"parts\":{\"store\":\"Healthy\",\"keys\":\"Unhealthy\"}}");
        expect(ask(server, "GET", "/api/app/liasse").substring(0, 3), "401");
        expect(ask(server, "GET", "/swagger/v1/swagger.json").startsWith("200 {"), true);
        server.stop(0);
        portal.close();
    }

    private static void aStoreThatFails() throws Exception {
        HttpServer server = serve(new Portal(new Failing(), SETTINGS));
        expect(ask(server, "GET", "/health/ready"), "503 {\"status\":\"Unhealthy\",\"parts\":{\"store\":\"Unhealthy\",\"keys\":\"Unhealthy\"}}");
        server.stop(0);
    }

    private static final class Failing implements Store {
        @Override
        public byte[][] getMany(List<String> keys) {
            throw new IllegalStateException("no disk");
        }

        @Override
        public void put(String key, byte[] value) throws IOException {
            throw new IOException("no disk");
        }

        @Override
        public void remove(String key) throws IOException {
            throw new IOException("no disk");
        }

        @Override
        public boolean compareAndSwap(String key, byte[] expected, byte[] desired) throws IOException {
            throw new IOException("no disk");
        }
    }

    private static HttpServer serve(Portal portal) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", new PortalHandler(portal));
        server.start();
        return server;
    }

    private static String ask(HttpServer server, String method, String target) throws Exception {
        return ask(server, method, target, "none");
    }

    private static String ask(HttpServer server, String method, String target, String token) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + target);
        HttpRequest.Builder builder = HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + token);
        HttpRequest request = (method.equals("HEAD") ? builder.HEAD() : builder.GET()).build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    private static Map<String, String> with(String name, String value) {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put(name, value);
        return settings;
    }

    private static String faultOf(Map<String, String> settings) {
        try {
            new Portal(new MemoryStore(), settings).close();
            return "none";
        } catch (Portal.Fault fault) {
            return fault.getMessage();
        }
    }

    private static void expect(Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }
}
