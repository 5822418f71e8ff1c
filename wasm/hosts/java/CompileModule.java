import com.dylibso.chicory.build.time.compiler.Config;
import com.dylibso.chicory.build.time.compiler.Generator;
import java.io.IOException;
import java.nio.file.Path;

/** {@code CompileModule MODULE CLASSES SOURCES}: translates the module to the class portail.PortailModule, before the program is compiled. */
final class CompileModule {
    public static void main(String[] arguments) throws IOException {
        Path classes = Path.of(arguments[1]);
        Generator generator = new Generator(Config.builder()
                .withWasmFile(Path.of(arguments[0]))
                .withName("portail.PortailModule")
                .withTargetClassFolder(classes)
                .withTargetWasmFolder(classes)
                .withTargetSourceFolder(Path.of(arguments[2]))
                .build());
        var interpreted = generator.generateResources();
        generator.generateMetaWasm(interpreted);
        generator.generateSources();
    }
}
