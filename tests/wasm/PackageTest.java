import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
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
            folders();
            writes();
            otherKinds();
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

    private static void folders() throws Exception {
        Make nothing = folder -> {};
        String missing = "FOLDER does not exist: `portail import --store dir:FOLDER DOCUMENT` makes one there";
        String others = "FOLDER holds other files and no store (notes): name an empty or a new folder";
        for (Case each : List.of(
                new Case("missing", nothing, missing, null),
                new Case("empty", Files::createDirectory, "FOLDER holds no portal: `portail import --store dir:FOLDER DOCUMENT` makes one there", null),
                new Case("other", folder -> makeFolderWith(folder, "notes", "~backup", "lost+found"), others, others),
                new Case("many", folder -> makeFolderWith(folder, "notes", "~" + "a".repeat(250), "~" + "b".repeat(250), "~" + "c".repeat(250),
                        "~" + "d".repeat(250), "~" + "e".repeat(250)), others, others), // names of more than 1 KiB
                new Case("file", nothing, "FOLDER is not a folder", "FOLDER is not a folder"),
                new Case("link", folder -> Files.createSymbolicLink(folder, makePortal(folder.resolveSibling("linked"))), null, null),
                new Case("file/below", nothing, "FOLDER cannot be read: another kind of file", "FOLDER cannot be created: another kind of file"),
                new Case("a".repeat(256), nothing, "FOLDER cannot be read: the host's log has the reason", "FOLDER cannot be created: the host's log has the reason"),
                new Case("missing/below", nothing, missing, "FOLDER cannot be created: its parent folder does not exist: create it first"),
                new Case("portal", PackageTest::makePortal, null, null))) {
            for (boolean create : new boolean[] {false, true}) {
                inNewFolder(parent -> {
                    Files.createFile(parent.resolve("file"));
                    Path folder = parent.resolve(each.name);
                    each.make.at(folder);
                    String expected = create ? each.created : each.opened;
                    expect(refusalOf(folder, create), expected == null ? null : expected.replace("FOLDER", folder.toString()));
                    if (each.name.equals("missing")) {
                        expect(create ? mode(folder) : Files.exists(folder), create ? "rwx------" : false);
                    }
                });
            }
        }
    }

    private static String refusalOf(Path folder, boolean create) {
        Development development = new Development();
        try (Portal portal = new Portal(new FolderStore(folder, create), development.settings())) {
            expect(ask(portal, "GET", "/health/ready", "", "").substring(0, 3), "200");
            return null;
        } catch (Portal.Fault fault) {
            return fault.getMessage();
        }
    }

    private static final String CHANGED = "/api/app/objet-courrier/1";

    private static void writes() throws Exception {
        Development development = new Development();
        String administrator = development.token("sub-administrateur-1", "administrateur");
        inNewFolder(parent -> {
            Path folder = parent.resolve("created");
            try (Portal first = new Portal(new FolderStore(makePortal(folder)), development.settings());
                    Portal second = new Portal(new FolderStore(folder), development.settings())) {
                for (Portal each : List.of(first, second, first)) {
                    String kind = each == first ? "Optionnel" : "Obligatoire";
                    expect(ask(each, "PUT", CHANGED, administrator, change(kind)).substring(0, 3), "200");
                    for (Portal reader : List.of(first, second)) {
                        expect(ask(reader, "GET", CHANGED, administrator, "").contains("\"typeAffectation\":\"" + kind + "\""), true);
                    }
                }
                expect(ask(first, "GET", "/api/app/liasse/L-2024-0002", development.token("sub-client-1"), "").substring(0, 3), "200");
            }
            expect(Files.size(folder.resolve("~revision")), 6L);
            for (String file : List.of("configuration", "~revision", "consultation.sub-client-1.0", "~writers/lease")) {
                expect(mode(folder.resolve(file)), "rw-------");
            }
            for (String made : List.of("~writers", "~writers/holder")) {
                expect(mode(folder.resolve(made)), "rwx------");
            }
            try (var left = Files.walk(folder.resolve("~writers"))) {
                expect(left.map(file -> file.getFileName().toString()).sorted().toList(), List.of("holder", "lease", "~writers"));
            }
        });
    }

    private static void otherKinds() throws Exception {
        Development development = new Development();
        String administrator = development.token("sub-administrateur-1", "administrateur");
        for (Make make : List.<Make>of(
                folder -> makeLarge(folder.resolve("configuration"), 3_000_000_000L),
                folder -> Files.createDirectory(folder.resolve("~revision")),
                folder -> Files.createFile(folder.resolve("~writers")),
                folder -> Files.createFile(Files.createDirectory(folder.resolve("~writers")).resolve("holder")),
                folder -> Files.createSymbolicLink(Files.createDirectory(folder.resolve("~writers")).resolve("holder"), folder))) {
            inNewFolder(parent -> {
                Path folder = makePortal(parent.resolve("portal"));
                make.at(folder);
                try (Portal portal = new Portal(new FolderStore(folder), development.settings())) {
                    expect(ask(portal, "PUT", CHANGED, administrator, change("Optionnel")).substring(0, 3), "500");
                }
            });
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static String change(String kind) {
        return "{\"utilisablePourLiasse\":true,\"typeAffectation\":\"" + kind + "\"}";
    }

    private static void makeLarge(Path file, long size) throws IOException {
        try (var made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(size);
        }
    }

    /** The sample of Development. */
    private static Path makePortal(Path folder) throws IOException {
        Files.createDirectory(folder);
        try (InputStream lines = Development.class.getResourceAsStream("development.jsonl")) {
            var values = Pattern.compile("\"key\":\"(.*?)\",\"value\":\"(.*?)\"").matcher(new String(lines.readAllBytes(), StandardCharsets.UTF_8));
            while (values.find()) {
                Files.write(folder.resolve(values.group(1)), Base64.getDecoder().decode(values.group(2)));
            }
        }
        return folder;
    }

    private interface Trial {
        void in(Path folder) throws Exception;
    }

    private static void inNewFolder(Trial trial) throws Exception {
        Path parent = Files.createTempDirectory("portail-java-");
        try {
            trial.in(parent);
        } finally {
            try (var files = Files.walk(parent)) {
                files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            }
        }
    }

    /** Without a server. */
    private static String ask(Portal portal, String method, String target, String token, String body) {
        var headers = List.of(Map.entry("Authorization", "Bearer " + token), Map.entry("Content-Type", "application/json"));
        try (var request = portal.begin(Portal.HTTPS | (body.isEmpty() ? 0 : Portal.HAS_BODY), method, target, headers)) {
            if (request.state() == Portal.WANTS_BODY) {
                request.giveBody(body.getBytes(StandardCharsets.UTF_8));
                request.giveBody(new byte[0]);
            }
            StringBuilder answer = new StringBuilder(request.head().status() + " ");
            for (request.next(); request.state() == Portal.PIECE; request.next()) {
                answer.append(new String(request.data(), StandardCharsets.UTF_8));
            }
            return answer.toString();
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
