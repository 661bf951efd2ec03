import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.CountedCompleter;

/**
 * A task a directory. Java's directories tell no types, so each entry is asked for its own: a system call more than the
 * other runtimes make.
 */
@SuppressWarnings("serial")
final class Walk extends CountedCompleter<Void> {
    private static final int DIRECTORIES = 0, FILES = 1, LINKS = 2;
    private final Path directory;

    Walk(CountedCompleter<?> parent, Path directory) {
        super(parent);
        this.directory = directory;
    }

    @Override
    public void compute() {
        ForkJoin.count(DIRECTORIES);
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                BasicFileAttributes is =
                    Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                if (is.isDirectory()) {
                    addToPendingCount(1);
                    new Walk(this, entry).fork();
                } else if (is.isRegularFile()) {
                    ForkJoin.count(FILES);
                } else if (is.isSymbolicLink()) {
                    ForkJoin.count(LINKS);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        tryComplete();
    }
}
