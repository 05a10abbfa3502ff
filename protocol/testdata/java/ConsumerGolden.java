import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;

/** Prints ../consumer.txt: what Java's consumer writes, and which bytes it can read. */
class ConsumerGolden {
    public static void main(String[] args) {
        var owned = List.of(tp("orders", 7), tp("a-topic", 1), tp("orders", 2), tp("a-topic", 0));
        subscription("new", new Subscription(List.of("orders"), null, List.of(), -1, Optional.empty()));
        subscription("full", new Subscription(List.of("orders", "a-topic"), bytes("010203"), owned, 5, Optional.of("rack-1")));
        subscription("zero", new Subscription(List.of(), bytes(""), List.of(tp("t", 0)), 0, Optional.empty()));
        subscription("utf16", new Subscription(List.of("\uffe6", "\ud83d\ude00", "z"), null,
            List.of(tp("\uffe6", 0), tp("\ud83d\ude00", 0)), -1, Optional.empty()));
        assignment("nothing", new Assignment(List.of(), null));
        assignment("full", new Assignment(owned, bytes("0908")));

        for (String hex : new String[] {
            "", "00", "0000", "ffff00000000ffffffff", "000000000000ffffffff", "000000000000ffffffffdead",
            "000100000000ffffffff", "000100000000ffffffffffffffff", "0001ffffffffffffffff",
            "7fff00000000ffffffff00000000fffffffb0000beef", "000300000000ffffffff0000000000000004fffe",
            "000000000000fffffffb", "000000000001ffffffffffff", "000300000000ffffffff0000000000000004",
        }) {
            System.out.println("read-subscription " + hex + " " + outcome(() -> ConsumerProtocol.deserializeSubscription(bytes(hex))));
        }
        for (String hex : new String[] {
            "", "00", "0000", "ffff00000000ffffffff", "000300000000ffffffff", "000300000000ffffffff01",
            "7fff00000000fffffff0", "0000ffffffffffffffff", "00000000ffff00000000",
        }) {
            System.out.println("read-assignment " + hex + " " + outcome(() -> ConsumerProtocol.deserializeAssignment(bytes(hex))));
        }
    }

    static void subscription(String name, Subscription s) {
        for (short version = 0; version <= 3; version++) {
            print("subscription", name, version, ConsumerProtocol.serializeSubscription(s, version));
        }
    }

    static void assignment(String name, Assignment a) {
        for (short version = 0; version <= 3; version++) {
            print("assignment", name, version, ConsumerProtocol.serializeAssignment(a, version));
        }
    }

    static void print(String what, String name, short version, ByteBuffer written) {
        byte[] bytes = new byte[written.remaining()];
        written.get(bytes);
        System.out.println(what + " " + name + " " + version + " " + HexFormat.of().formatHex(bytes));
    }

    static String outcome(Runnable read) {
        try {
            read.run();
            return "ok";
        } catch (RuntimeException e) {
            return "error";
        }
    }

    static TopicPartition tp(String topic, int partition) {
        return new TopicPartition(topic, partition);
    }

    static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }
}
