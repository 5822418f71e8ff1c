"""Runs the Java package over another module than its own. Standard library only."""

import pathlib
import subprocess

# In the place of the class that the package's build generates.
MODULE = """package portail;

import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.runtime.InterpreterMachine;
import com.dylibso.chicory.runtime.Machine;
import com.dylibso.chicory.wasm.Parser;
import com.dylibso.chicory.wasm.WasmModule;

final class PortailModule {
    static WasmModule load() {
        return Parser.parse(PortailModule.class.getResourceAsStream("other.wasm"));
    }

    static Machine create(Instance instance) {
        return new InterpreterMachine(instance);
    }
}
"""
PROGRAM = """import java.nio.file.Path;
import java.util.Map;
import portail.FolderStore;
import portail.MemoryStore;
import portail.Portal;

public class Program {
    public static void main(String[] arguments) {
        try {
            new Portal(PORTAL, Map.of()).close();
        } catch (Portal.Fault fault) {
            System.out.println(fault.getMessage());
        }
    }
}
"""


def fault_over(module, store, folder, jars):
    """Returns what the package says to a portal over `store`, a Java expression, by the file `module`. `folder` is an empty directory, `jars` the
    class path of the package and its libraries."""
    classes = folder / "classes"
    (classes / "portail").mkdir(parents=True)
    (classes / "portail/other.wasm").write_bytes(pathlib.Path(module).read_bytes())
    (folder / "PortailModule.java").write_text(MODULE, encoding="utf-8")
    (folder / "Program.java").write_text(PROGRAM.replace("PORTAL", store), encoding="utf-8")
    path = f"{classes}:{jars}"
    run("javac", "-cp", path, "-d", classes, folder / "PortailModule.java", folder / "Program.java")
    return run("java", "-cp", path, "Program")


def run(*command):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
