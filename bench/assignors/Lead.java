import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;

/** A cell of the Java consumer's assignors; cell.go and file.go say what a cell does and what its files are. */
public final class Lead {
    private static final long LONG = 5_000_000_000L;

    private final String assignor;
    private Cluster cluster;
    private final Map<String, byte[]> members = new HashMap<>();
    private Map<String, ByteBuffer> plan;

    private Lead(String assignor) {
        this.assignor = assignor;
    }

    /** Takes the assignor, the files of the input and of the plan, and the nanoseconds to warm up and to repeat it for. */
    public static void main(String[] args) throws IOException {
        Lead lead = new Lead(args[0]);
        lead.read(args[1]);
        System.out.println("ready");
        lead.measure(Long.parseLong(args[3]), Long.parseLong(args[4]));
        lead.write(args[2]);
    }

    /** What is timed: as ConsumerCoordinator.onLeaderElected does it, without its own checks. */
    private void run() {
        Map<String, Subscription> subscriptions = new HashMap<>();
        members.forEach((id, metadata) ->
            subscriptions.put(id, ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(metadata))));
        Map<String, Assignment> assignments =
            newAssignor().assign(cluster, new GroupSubscription(subscriptions)).groupAssignment();
        plan = new HashMap<>();
        assignments.forEach((id, assignment) -> plan.put(id, ConsumerProtocol.serializeAssignment(assignment)));
    }

    private ConsumerPartitionAssignor newAssignor() {
        switch (assignor) {
            case "range": return new RangeAssignor();
            case "roundrobin": return new RoundRobinAssignor();
            case "sticky": return new StickyAssignor();
            case "cooperative-sticky": return new CooperativeStickyAssignor();
            default: throw new IllegalArgumentException("there is no assignor " + assignor);
        }
    }

    private void measure(long warm, long repeat) {
        long[] figures = repeat(1, 0);
        System.out.println("ran");
        if (figures[0] < LONG) {
            repeat(1, warm);
            figures = repeat(2, repeat);
        }
        System.out.println("done " + figures[0] + " " + figures[1]);
    }

    /** Runs it some times at least, and for a while at least; returns CPU time and bytes allocated, of one run. */
    private long[] repeat(int times, long repeat) {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long began = System.nanoTime();
        long cpu = system.getProcessCpuTime();
        long heap = threads.getCurrentThreadAllocatedBytes();
        int runs = 0;
        while (runs < times || System.nanoTime() - began < repeat) {
            run();
            runs++;
        }
        return new long[] {
            (system.getProcessCpuTime() - cpu) / runs, (threads.getCurrentThreadAllocatedBytes() - heap) / runs
        };
    }

    private void read(String path) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(path), 1 << 16))) {
            in.readInt(); // the generation: assignors are not told
            Node node = new Node(0, "localhost", 9092);
            Node[] replicas = {node};
            List<PartitionInfo> partitions = new ArrayList<>();
            for (int topics = in.readInt(); topics > 0; topics--) {
                String name = new String(readBytes(in), StandardCharsets.UTF_8);
                int count = in.readInt();
                for (int p = 0; p < count; p++) {
                    partitions.add(new PartitionInfo(name, p, node, replicas, replicas));
                }
            }
            cluster = new Cluster("cluster", List.of(node), partitions, new HashSet<>(), new HashSet<>());
            for (int count = in.readInt(); count > 0; count--) {
                String id = new String(readBytes(in), StandardCharsets.UTF_8);
                members.put(id, readBytes(in));
            }
        }
    }

    private void write(String path) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(path), 1 << 16))) {
            out.writeInt(plan.size());
            for (Map.Entry<String, ByteBuffer> entry : plan.entrySet()) {
                writeBytes(out, entry.getKey().getBytes(StandardCharsets.UTF_8));
                byte[] assignment = new byte[entry.getValue().remaining()];
                entry.getValue().get(assignment);
                writeBytes(out, assignment);
            }
        }
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        return in.readNBytes(in.readInt());
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
