import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;

/** Is the assignor whose class the consumer's property "leading" names, and tells the ledger when it leads. */
public final class Leading implements ConsumerPartitionAssignor, Configurable {
    private ConsumerPartitionAssignor assignor;

    @Override
    public void configure(Map<String, ?> properties) {
        try {
            Class<?> leading = Class.forName(properties.get("leading").toString());
            assignor = (ConsumerPartitionAssignor) leading.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
        if (assignor instanceof Configurable) {
            ((Configurable) assignor).configure(properties);
        }
    }

    @Override
    public GroupAssignment assign(Cluster cluster, GroupSubscription group) {
        Ledger.enter("lead", List.of());
        return assignor.assign(cluster, group);
    }

    @Override
    public String name() {
        return assignor.name();
    }

    @Override
    public short version() {
        return assignor.version();
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return assignor.supportedProtocols();
    }

    @Override
    public ByteBuffer subscriptionUserData(Set<String> topics) {
        return assignor.subscriptionUserData(topics);
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        assignor.onAssignment(assignment, metadata);
    }
}
