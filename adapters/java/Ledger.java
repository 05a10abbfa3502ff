import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

import org.apache.kafka.common.TopicPartition;

/** The test's ledger, as members_test.go says what is told to it. */
final class Ledger {
    private static Ledger open;

    private final OutputStream out;
    private final BufferedReader in;

    private Ledger(String address, String name) throws IOException {
        int colon = address.lastIndexOf(':');
        Socket socket = new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        socket.setTcpNoDelay(true);
        out = socket.getOutputStream();
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        write(name);
    }

    static void open(String address, String name) throws IOException {
        open = new Ledger(address, name);
    }

    static void enter(String entry, Collection<TopicPartition> partitions) {
        StringBuilder line = new StringBuilder(entry);
        partitions.forEach(p -> line.append(' ').append(p.partition()));
        open.write(line.toString());
    }

    /** Returns when the line is in the books. */
    private synchronized void write(String line) {
        try {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            if (in.readLine() == null) {
                throw new IOException("the test has ended");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
