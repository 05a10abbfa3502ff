import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Properties;

import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A consumer that tells the test's ledger what it owns, and leaves its group on SIGTERM. */
public final class Member {
    /** Takes the addresses of ledger and broker, the topic, and the consumer's properties, as name=value. */
    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        for (String property : List.of(args).subList(3, args.length)) {
            String[] pair = property.split("=", 2);
            properties.put(pair[0], pair[1]);
        }
        properties.put("bootstrap.servers", args[1]);
        Ledger.open(args[0], properties.getProperty("client.id"));

        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            consumer.wakeup();
            try {
                main.join();
            } catch (InterruptedException e) {
                return;
            }
            Runtime.getRuntime().halt(0); // and not 143
        }));
        consumer.subscribe(List.of(args[2]), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                Ledger.enter("take", partitions);
            }

            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                Ledger.enter("give", partitions);
            }
        });
        try (consumer) {
            while (true) {
                consumer.poll(Duration.ofSeconds(1));
            }
        } catch (WakeupException e) {
            return; // and closed
        } catch (RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }
}
