package portail;

import com.dylibso.chicory.runtime.HostFunction;
import com.dylibso.chicory.runtime.Memory;
import com.dylibso.chicory.wasm.types.FunctionType;
import com.dylibso.chicory.wasm.types.ValType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The folder of a portal, in the layout of the native program's {@code dir:} store (docs/reference/stores.md), which other programs may use
 * concurrently. The store is in the module, which calls the imports of files (wasm/abi/portail.h).
 */
public final class FolderStore {
    private static final int MISSING = -1, OCCUPIED = -2, OTHER = -3, FAILED = -4;
    private static final int REGULAR_FILE = 0, FOLDER = 1, OTHER_FILE = 2;
    private static final FileAttribute<?> FOLDER_MODE = mode("rwx------"), FILE_MODE = mode("rw-------");

    final Path path;
    final boolean create;

    /** Names the folder of a portal, which {@code new Portal} opens. */
    public FolderStore(Path folder) {
        this(folder, false);
    }

    /** {@code create}: {@code new Portal} makes the folder if it is missing, and accepts an empty one. */
    public FolderStore(Path folder, boolean create) {
        path = folder;
        this.create = create;
    }

    private interface Call {
        /** Returns 0, a size, or why it failed. {@code arguments} are all of the import. */
        int run(Path file, Memory memory, long[] arguments) throws IOException;
    }

    /** Returns the imports of files. {@code folder} is null for a portal over a store of its own, which calls none of them. */
    static HostFunction[] imports(FolderStore folder) {
        return new HostFunction[] {
            function(folder, "file_status", (file, memory, arguments) -> folder.status(file, memory, (int) arguments[3]), ValType.I32),
            function(folder, "file_read", (file, memory, arguments) -> read(file, memory, (int) arguments[3], (int) arguments[4]),
                    ValType.I32, ValType.I32),
            function(folder, "file_create", (file, memory, arguments) ->
                    createFile(file, memory.readBytes((int) arguments[3], (int) arguments[4]), arguments[5], arguments[6] != 0),
                    ValType.I32, ValType.I32, ValType.I64, ValType.I32),
            function(folder, "file_make_folder", (file, memory, arguments) -> {
                Files.createDirectory(file, FOLDER_MODE);
                return 0;
            }),
            function(folder, "file_rename", (file, memory, arguments) -> rename(file, folder.file(memory, arguments[3], arguments[4])),
                    ValType.I32, ValType.I32),
            function(folder, "file_remove", (file, memory, arguments) -> remove(file, arguments[3] != 0), ValType.I32),
            function(folder, "file_list", (file, memory, arguments) -> folder.list(file, memory, (int) arguments[3], (int) arguments[4]),
                    ValType.I32, ValType.I32),
            function(folder, "file_sync", (file, memory, arguments) -> {
                try (FileChannel names = FileChannel.open(file, folder.links(file))) {
                    names.force(true);
                    return 0;
                }
            })};
    }

    /** {@code more}: the parameters after the folder, the path and its size. */
    private static HostFunction function(FolderStore folder, String name, Call call, ValType... more) {
        List<ValType> parameters = new ArrayList<>(Collections.nCopies(3, ValType.I32));
        Collections.addAll(parameters, more);
        return new HostFunction("portail", name, FunctionType.of(parameters, List.of(ValType.I32)), (module, arguments) -> {
            Path file = null;
            try {
                file = folder.file(module.memory(), arguments[1], arguments[2]);
                return new long[] {call.run(file, module.memory(), arguments)};
            } catch (Exception fault) {
                return new long[] {resultOf(fault, file)};
            }
        });
    }

    private Path file(Memory memory, long name, long size) {
        return path.resolve(memory.readString((int) name, (int) size, StandardCharsets.UTF_8));
    }

    private LinkOption[] links(Path file) {
        return file.equals(path) ? new LinkOption[] {} : new LinkOption[] {LinkOption.NOFOLLOW_LINKS};
    }

    private static BasicFileAttributes attributes(Path file, LinkOption... links) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, links);
    }

    private int status(Path file, Memory memory, int to) throws IOException {
        // One system call. BasicFileAttributes have no ctime.
        var found = Files.readAttributes(file, "unix:isRegularFile,isDirectory,size,lastModifiedTime,ctime", links(file));
        memory.writeI32(to, (boolean) found.get("isRegularFile") ? REGULAR_FILE : (boolean) found.get("isDirectory") ? FOLDER : OTHER_FILE);
        memory.writeI32(to + 4, 0);
        memory.writeLong(to + 8, (long) found.get("size"));
        memory.writeLong(to + 16, ((FileTime) found.get("lastModifiedTime")).to(TimeUnit.NANOSECONDS));
        memory.writeLong(to + 24, ((FileTime) found.get("ctime")).to(TimeUnit.NANOSECONDS));
        return 0;
    }

    private static int read(Path file, Memory memory, int to, int size) throws IOException {
        // Checked before the open, which would wait for the writer of a FIFO. Java cannot open without that: one that comes in between blocks.
        var found = attributes(file, LinkOption.NOFOLLOW_LINKS);
        if (!found.isRegularFile()) {
            return OTHER;
        }
        if (found.size() > size) {
            return (int) Math.min(found.size(), Integer.MAX_VALUE);
        }
        try (InputStream opened = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return write(opened.readNBytes(size + 1), memory, to, size); // a larger file may have replaced it
        }
    }

    private static int createFile(Path file, byte[] bytes, long length, boolean isDurable) throws IOException {
        try (var created = FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), FILE_MODE)) {
            for (ByteBuffer rest = ByteBuffer.wrap(bytes); rest.hasRemaining();) {
                created.write(rest);
            }
            if (length > bytes.length) {
                created.write(ByteBuffer.allocate(1), length - 1);
            }
            if (isDurable) {
                created.force(true);
            }
            return 0;
        }
    }

    private static int rename(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            return 0;
        } catch (FileSystemException fault) {
            if (!hasReasonOnly(fault) || !Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
                throw fault;
            }
            if (isFolder(from) != isFolder(to)) {
                return OTHER;
            }
            if (!isFolder(to)) {
                throw fault;
            }
            try (var entries = Files.newDirectoryStream(to)) {
                if (entries.iterator().hasNext()) {
                    return OCCUPIED;
                }
            }
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE); // another writer has emptied it since
            return 0;
        }
    }

    private static int remove(Path file, boolean isFolder) throws IOException {
        if (attributes(file, LinkOption.NOFOLLOW_LINKS).isDirectory() != isFolder) {
            return OTHER;
        }
        Files.delete(file);
        return 0;
    }

    private int list(Path folder, Memory memory, int to, int size) throws IOException {
        if (!attributes(folder, links(folder)).isDirectory()) {
            return OTHER;
        }
        StringBuilder names = new StringBuilder();
        try (var entries = Files.newDirectoryStream(folder)) {
            entries.forEach(entry -> names.append(entry.getFileName()).append('\0'));
        } catch (DirectoryIteratorException fault) {
            throw fault.getCause();
        }
        return write(names.toString().getBytes(StandardCharsets.UTF_8), memory, to, size);
    }

    /** Writes the bytes if they fit. */
    private static int write(byte[] bytes, Memory memory, int to, int size) {
        if (bytes.length <= size) {
            memory.write(to, bytes);
        }
        return bytes.length;
    }

    private static int resultOf(Exception fault, Path file) {
        if (fault instanceof NoSuchFileException) {
            return MISSING;
        }
        if (fault instanceof FileAlreadyExistsException || fault instanceof DirectoryNotEmptyException) {
            return OCCUPIED;
        }
        if (hasReasonOnly(fault) && (Files.isSymbolicLink(file) || !Files.isDirectory(file.resolveSibling("")))) {
            return OTHER;
        }
        // Without the file's name: it contains identifiers, which must not be logged.
        String reason = fault instanceof FileSystemException named ? named.getReason() : fault.getMessage();
        System.err.println("store: " + fault.getClass().getSimpleName() + (reason == null ? "" : ": " + reason));
        return FAILED;
    }

    /** Returns whether the error, such as ENOTDIR, has no exception of its own. Its reason is in the user's language. */
    private static boolean hasReasonOnly(Exception fault) {
        return fault.getClass() == FileSystemException.class;
    }

    private static boolean isFolder(Path file) {
        return Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
    }

    private static FileAttribute<?> mode(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }
}
