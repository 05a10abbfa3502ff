import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.internals.AbstractStickyAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Answers the cases of files, one a line, as the leader of Java's consumers does. */
public final class Answer {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] args) throws IOException {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off"); // doubled claims are errors to it
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String file : args) {
            try (BufferedReader cases = Files.newBufferedReader(Path.of(file))) {
                for (String line = cases.readLine(); line != null; line = cases.readLine()) {
                    out.println(JSON.writeValueAsString(answerInTime(JSON.readTree(line))));
                }
            }
        }
        out.flush();
    }

    /** Gives up an answer that does not come: there are groups over which the sticky assignors never end. */
    private static Map<String, Object> answerInTime(JsonNode c) {
        FutureTask<Map<String, Object>> task = new FutureTask<>(() -> answer(c));
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(5, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return Map.of("id", c.get("id"), "error", "no answer within 5 s");
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Object> answer(JsonNode c) {
        Map<String, Object> answer = new TreeMap<>();
        answer.put("id", c.get("id"));
        try {
            String name = c.get("assignor").asText();
            JsonNode in = c.get("in");
            answer.put("out", assign(newAssignor(name), name, in));
            if (name.equals("cooperative-sticky")) {
                answer.put("pre", assign(new Planned(), name, in));
            }
        } catch (RuntimeException e) {
            answer.put("error", e.toString());
        }
        return answer;
    }

    private static ConsumerPartitionAssignor newAssignor(String name) {
        switch (name) {
            case "range": return new RangeAssignor();
            case "roundrobin": return new RoundRobinAssignor();
            case "sticky": return new StickyAssignor();
            case "cooperative-sticky": return new CooperativeStickyAssignor();
            default: throw new IllegalArgumentException("there is no assignor " + name);
        }
    }

    /** What CooperativeStickyAssignor plans, before it takes away what others have yet to give up. */
    private static final class Planned extends AbstractStickyAssignor {
        private static final class Cooperative extends CooperativeStickyAssignor {
            MemberData read(Subscription subscription) {
                return memberData(subscription);
            }
        }

        @Override
        public String name() {
            return "planned";
        }

        @Override
        protected MemberData memberData(Subscription subscription) {
            return new Cooperative().read(subscription);
        }
    }

    private static Map<String, Map<String, Set<Integer>>> assign(ConsumerPartitionAssignor assignor, String name, JsonNode in) {
        Map<String, Subscription> members = new HashMap<>();
        for (JsonNode member : in.get("members")) {
            Subscription subscription = ConsumerProtocol.deserializeSubscription(subscribe(name, member));
            subscription.setGroupInstanceId(text(member.get("instance")));
            members.put(member.get("id").asText(), subscription);
        }
        Map<String, Map<String, Set<Integer>>> answer = new TreeMap<>();
        assignor.assign(cluster(in.get("topics")), new GroupSubscription(members)).groupAssignment().forEach((id, assignment) -> {
            Map<String, Set<Integer>> topics = answer.computeIfAbsent(id, key -> new TreeMap<>());
            for (TopicPartition tp : assignment.partitions()) {
                if (!topics.computeIfAbsent(tp.topic(), key -> new TreeSet<>()).add(tp.partition())) {
                    throw new IllegalStateException(id + " is given " + tp + " twice");
                }
            }
        });
        return answer;
    }

    /** What a member sends, with its user data from the assignor that it runs. */
    @SuppressWarnings("removal") // of the constructor of ConsumerGroupMetadata
    private static ByteBuffer subscribe(String name, JsonNode member) {
        List<TopicPartition> owned = new ArrayList<>();
        for (Map.Entry<String, JsonNode> topic : member.path("owned").properties()) {
            topic.getValue().forEach(p -> owned.add(new TopicPartition(topic.getKey(), p.asInt())));
        }
        int generation = member.path("gen").asInt(-1);
        ConsumerPartitionAssignor own = newAssignor(name);
        if (!owned.isEmpty() || name.equals("cooperative-sticky")) {
            own.onAssignment(new Assignment(owned), new ConsumerGroupMetadata("", generation, "", Optional.empty()));
        }
        List<String> topics = new ArrayList<>();
        member.path("subs").forEach(topic -> topics.add(topic.asText()));
        List<TopicPartition> kept = name.equals("cooperative-sticky") ? owned : List.of(); // the others have revoked it
        ByteBuffer userData = own.subscriptionUserData(new HashSet<>(topics));
        return ConsumerProtocol.serializeSubscription(
            new Subscription(topics, userData, kept, generation, text(member.get("rack"))), (short) member.path("v").asInt(3));
    }

    private static Cluster cluster(JsonNode topics) {
        Map<Optional<String>, Node> nodes = new HashMap<>(); // by rack
        List<PartitionInfo> partitions = new ArrayList<>();
        for (JsonNode topic : topics) {
            for (int p = 0; p < topic.get("parts").asInt(); p++) {
                List<Node> replicas = new ArrayList<>();
                for (JsonNode rack : topic.path("racks").path(p)) {
                    replicas.add(nodes.computeIfAbsent(text(rack), key -> new Node(nodes.size(), "localhost", 9092, key.orElse(null))));
                }
                Node leader = replicas.isEmpty() ? new Node(-1, "", -1) : replicas.get(0);
                Node[] all = replicas.toArray(new Node[0]);
                partitions.add(new PartitionInfo(topic.get("name").asText(), p, leader, all, all));
            }
        }
        return new Cluster("cluster", nodes.values(), partitions, Set.of(), Set.of());
    }

    private static Optional<String> text(JsonNode node) {
        return node == null || node.isNull() || node.asText().isEmpty() ? Optional.empty() : Optional.of(node.asText());
    }
}
