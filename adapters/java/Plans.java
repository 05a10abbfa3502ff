import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.HashMap;
import java.util.Optional;
import java.util.Set;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;

/**
 * Makes ByCapacityAssignor's plans of groups. A line of its file is a group: topics as NAME:PARTITIONS and members as
 * ID:INSTANCE:METADATA, in one list; the metadata in hex. A line of its output is the plan, as ID:PARTITIONS.
 */
public final class Plans {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            out.println(plan(line.split(" ")));
        }
    }

    private static String plan(String[] group) {
        Node node = new Node(1, "localhost", 9092);
        List<PartitionInfo> partitions = new ArrayList<>();
        Map<String, Subscription> members = new HashMap<>();
        for (String entry : group) {
            String[] part = entry.split(":");
            if (part.length == 3) {
                Subscription s = ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(HexFormat.of().parseHex(part[2])));
                s.setGroupInstanceId(part[1].isEmpty() ? Optional.empty() : Optional.of(part[1]));
                members.put(part[0], s);
                continue;
            }
            for (int p = 0; p < Integer.parseInt(part[1]); p++) {
                partitions.add(new PartitionInfo(part[0], p, node, new Node[] {node}, new Node[] {node}));
            }
        }
        Cluster cluster = new Cluster("cluster", List.of(node), partitions, Set.of(), Set.of());
        List<String> plan = new ArrayList<>();
        Map<String, Assignment> assigned =
            new ByCapacityAssignor().assign(cluster, new GroupSubscription(members)).groupAssignment();
        assigned.keySet().stream().sorted().forEach(id -> plan.add(id + ":" + assigned.get(id).partitions()));
        return String.join(" ", plan);
    }
}
