import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.Deserializer.UnknownRecordTypeException;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordHelpers;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.apache.kafka.coordinator.group.OffsetAndMetadata;
import org.apache.kafka.coordinator.group.classic.ClassicGroup;
import org.apache.kafka.coordinator.group.classic.ClassicGroupState;
import org.apache.kafka.coordinator.group.generated.GroupMetadataValue;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;

/** Prints ../records.txt: records of __consumer_offsets as the broker writes them, in older versions, and as it reads them. */
class RecordGolden {
    static final GroupCoordinatorRecordSerde SERDE = new GroupCoordinatorRecordSerde();

    public static void main(String[] args) {
        var none = OptionalLong.empty();
        offset("plain", new OffsetAndMetadata(100, OptionalInt.of(7), "meta", 1234, none, Uuid.ZERO_UUID));
        offset("no-epoch", new OffsetAndMetadata(100, OptionalInt.empty(), "", 1234, none, Uuid.ZERO_UUID));
        offset("topic-id", new OffsetAndMetadata(100, OptionalInt.of(7), "meta", 1234, none, new Uuid(1, 2)));
        offset("expiring", new OffsetAndMetadata(100, OptionalInt.of(7), "meta", 1234, OptionalLong.of(5678), new Uuid(1, 2)));
        written("offset-tombstone", "-", GroupCoordinatorRecordHelpers.newOffsetCommitTombstoneRecord("group", "topic", 3));
        written("group", "empty", GroupCoordinatorRecordHelpers.newGroupMetadataRecord(new ClassicGroup(new LogContext(), "group",
            ClassicGroupState.EMPTY, Time.SYSTEM, 7, Optional.of("consumer"), Optional.empty(), Optional.empty(), Optional.of(1234L)), Map.of()));
        written("group-tombstone", "-", GroupCoordinatorRecordHelpers.newGroupMetadataTombstoneRecord("group"));

        var commit = new OffsetCommitValue().setOffset(100).setLeaderEpoch(7).setMetadata("meta").setCommitTimestamp(1234).setExpireTimestamp(5678);
        var member = new GroupMetadataValue.MemberMetadata().setMemberId("m").setGroupInstanceId("i").setClientId("c").setClientHost("/h")
            .setRebalanceTimeout(30000).setSessionTimeout(10000).setSubscription(hex("0102")).setAssignment(hex("03"));
        var dynamic = new GroupMetadataValue.MemberMetadata().setMemberId("n").setSubscription(hex("")).setAssignment(hex(""));
        var group = new GroupMetadataValue().setProtocolType("consumer").setGeneration(7).setProtocol("range").setLeader("m")
            .setCurrentStateTimestamp(1234).setMembers(List.of(member, dynamic));
        for (short version = 0; version <= 4; version++) {
            versioned("offset", version, commit);
            versioned("group", version, group);
        }

        String offsetKey = "0001" + "000167" + "000174" + "00000003", groupKey = "0002" + "000167";
        String value = "0000000000000064" + "00000007" + "01" + "0000000000000005";
        read(offsetKey, null);
        read("0000" + offsetKey.substring(4), null);
        read(offsetKey + "ff", "0004" + value + "00" + "ffff");                                  // bytes behind the end
        read(offsetKey, "0004" + value + "01" + "09" + "02" + "0102");                             // an unknown tag
        read(offsetKey, "0003");                                                                   // no fields
        read(offsetKey, "0005" + value + "00");                                                    // a version of the future
        read(offsetKey, "ffff" + value);                                                           // a negative version
        read(offsetKey, "");                                                                       // no version
        read("", null);
        read("00", null);
        read("0001" + "000167" + "000174" + "0000", null);                                         // a key that is cut
        read("0002" + "ffff", null);                                                               // a null group
        read(groupKey, null);
        read(groupKey, "0003" + "000163" + "00000001" + "ffff" + "ffff" + "0000000000000001" + "00000000");
        read(groupKey, "0003" + "000163" + "00000001" + "ffff" + "ffff" + "0000000000000001" + "ffffffff"); // null members
        read(groupKey, "0003" + "ffff" + "00000001" + "ffff" + "ffff" + "0000000000000001" + "00000000");   // null type
        read(groupKey, "0003" + "000163" + "00000001" + "ffff" + "ffff" + "0000000000000001" + "7fffffff"); // two billion members
        read("0003" + "000167", null);                                                             // a consumer group's
        read("0063" + "beef", "beef");                                                             // a type of the future
    }

    static void offset(String name, OffsetAndMetadata offset) {
        written("offset", name, GroupCoordinatorRecordHelpers.newOffsetCommitRecord("group", "topic", 3, offset));
    }

    static void written(String what, String name, CoordinatorRecord record) {
        byte[] value = SERDE.serializeValue(record);
        System.out.println("written " + what + " " + name + " " + hex(SERDE.serializeKey(record)) + " " + (value == null ? "null" : hex(value)));
    }

    static void versioned(String what, short version, Message value) {
        System.out.println("versioned " + what + " " + version + " " + hex(MessageUtil.toVersionPrefixedBytes(version, value)));
    }

    static void read(String key, String value) {
        String outcome = "ok";
        try {
            SERDE.deserialize(ByteBuffer.wrap(hex(key)), value == null ? null : ByteBuffer.wrap(hex(value)));
        } catch (UnknownRecordTypeException e) {
            outcome = "other";
        } catch (RuntimeException e) {
            outcome = "error";
        }
        System.out.println("read " + key + " " + value + " " + outcome);
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }
}
