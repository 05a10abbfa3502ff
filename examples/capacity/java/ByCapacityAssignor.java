import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;

/**
 * The same rules and the same user data as ByCapacity in Go, so that members of both can be in one group, whoever leads it. The
 * consumer's property "capacity" is its capacity, from 1 to 255; 1 if it has none.
 */
public class ByCapacityAssignor implements ConsumerPartitionAssignor, Configurable {
    private int capacity = 1;

    @Override
    public void configure(Map<String, ?> properties) {
        Object value = properties.get("capacity");
        if (value != null) {
            capacity = Integer.parseInt(value.toString());
        }
        if (capacity < 1 || capacity > 255) {
            throw new IllegalArgumentException("capacity is " + capacity + ": give one from 1 to 255");
        }
    }

    @Override
    public String name() {
        return "by-capacity";
    }

    /** Tells the leader, whoever that is, the member's capacity. */
    @Override
    public ByteBuffer subscriptionUserData(Set<String> topics) {
        return ByteBuffer.wrap(new byte[] {(byte) capacity});
    }

    /** Gives each partition to the subscriber that will be least loaded with it. */
    @Override
    public GroupAssignment assign(Cluster cluster, GroupSubscription group) {
        Map<String, Subscription> members = group.groupSubscription();
        Map<String, Integer> capacities = new HashMap<>();
        Map<String, List<TopicPartition>> plan = new HashMap<>();
        Map<String, List<String>> subscribers = new TreeMap<>(); // topics by name, members in the order of their ids
        for (String member : inOrder(members)) {
            capacities.put(member, capacity(members.get(member).userData()));
            plan.put(member, new ArrayList<>());
            for (String topic : new HashSet<>(members.get(member).topics())) {
                subscribers.computeIfAbsent(topic, t -> new ArrayList<>()).add(member);
            }
        }
        subscribers.forEach((topic, candidates) -> {
            Integer partitions = cluster.partitionCountForTopic(topic);
            for (int p = 0; partitions != null && p < partitions; p++) {
                String best = candidates.get(0);
                for (String m : candidates) {
                    if ((plan.get(m).size() + 1) * capacities.get(best) < (plan.get(best).size() + 1) * capacities.get(m)) {
                        best = m;
                    }
                }
                plan.get(best).add(new TopicPartition(topic, p));
            }
        });
        Map<String, Assignment> assignments = new HashMap<>();
        plan.forEach((member, partitions) -> assignments.put(member, new Assignment(partitions)));
        return new GroupAssignment(assignments);
    }

    /** Orders members as Problem.Members does: static ones first, by their instance id, then the others, by their member id. */
    private static List<String> inOrder(Map<String, Subscription> members) {
        List<String> ids = new ArrayList<>(members.keySet());
        ids.sort(Comparator
            .comparing((String id) -> members.get(id).groupInstanceId().isEmpty())
            .thenComparing(id -> members.get(id).groupInstanceId().orElse(""))
            .thenComparing(id -> id));
        return ids;
    }

    /** The capacity that a member tells, or 1. */
    private static int capacity(ByteBuffer userData) {
        if (userData == null || userData.remaining() != 1) {
            return 1;
        }
        return Math.max(1, Byte.toUnsignedInt(userData.get(userData.position())));
    }
}
