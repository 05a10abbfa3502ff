package broker_test

import (
	"context"
	"crypto/tls"
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/joinsync/joinsync/coordinator"
	"github.com/joinsync/joinsync/coordinator/broker"
	"github.com/joinsync/joinsync/internal/memnet"
)

func TestEveryViolationOfTheConfigIsNamed(t *testing.T) {
	b, err := broker.Listen(t.Context(), broker.Config{
		Addr: "127.0.0.1:0", Listener: memnet.Listen(&net.TCPAddr{Port: 1}), Advertise: "0.0.0.0:9092",
		Topics:            map[string]int32{"a b": 1, "c": -8},
		DefaultPartitions: -1, MaxPartitions: -2, MaxRequestBytes: -3, MaxMessageBytes: -4, MaxConnections: -5, MaxConnectionsPerIP: -6,
		Coordinator: coordinator.Config{
			Topics: coordinator.AnyTopic{}, Transactions: coordinator.AnyTransaction{}, MaxGroupSize: -7,
		},
	})
	if err == nil || b != nil {
		t.Fatal(b, err)
	}
	for _, want := range []string{"Listener and Addr are both set", `Advertise: "0.0.0.0:9092" has no host`, "DefaultPartitions is -1",
		"MaxPartitions is -2", "MaxRequestBytes is -3", "MaxMessageBytes is -4", "MaxConnections is -5", "MaxConnectionsPerIP is -6",
		"Coordinator.Topics is set", "Coordinator.Transactions is set", `Topics has "a b": use`, `Topics has "c" with -8 partitions`, "coordinator: MaxGroupSize is -7"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

func TestAddressesThatCannotBe(t *testing.T) {
	for _, test := range []struct{ addr, want string }{
		{"localhost", `Addr: "localhost" is not HOST:PORT`},
		{"localhost:kafka", "the port must be a number from 0 to 65535"},
		{":9092", `":9092" is every address of this machine: set Advertise`},
		{"0.0.0.0:9092", "is every address of this machine"},
		{"[::]:9092", "is every address of this machine"},
	} {
		if err := (broker.Config{Addr: test.addr}).Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.addr, err, test.want)
		}
	}
	if err := (broker.Config{Addr: ":9092", Advertise: "broker.example:9092"}).Validate(); err != nil {
		t.Error(err)
	}
}

func TestTheTopicsOfTheConfigMustFit(t *testing.T) {
	config := broker.Config{Topics: map[string]int32{"a": 6, "b": 0}, DefaultPartitions: 5, MaxPartitions: 10}
	if err := config.Validate(); err == nil || err.Error() != "broker: Topics has 11 partitions in all, more than MaxPartitions (10)" {
		t.Error(err)
	}
	config.MaxPartitions = 11
	if err := config.Validate(); err != nil {
		t.Error(err)
	}
}

func TestWhatClientsAreToldIsTheAddressUnlessItHasNoHost(t *testing.T) {
	for _, test := range []struct{ listening, advertise, want, err string }{
		{"127.0.0.1:9092", "", "127.0.0.1:9092", ""},
		{"[::1]:9092", "", "[::1]:9092", ""},
		{"0.0.0.0:9092", "kafka.example:19092", "kafka.example:19092", ""},
		{"0.0.0.0:9092", "", "", "set Advertise to the host and port"},
		{"[::]:9092", "", "", "set Advertise to the host and port"},
		{"127.0.0.1:9092", "kafka.example", "", "is not HOST:PORT"},
		{"127.0.0.1:9092", "kafka.example:0", "", "the port must be a number from 1 to 65535"},
		{"127.0.0.1:9092", ":9092", "", "has no host"},
	} {
		addr, err := net.ResolveTCPAddr("tcp", test.listening)
		if err != nil {
			t.Fatal(err)
		}
		b, err := broker.Listen(t.Context(), broker.Config{Listener: memnet.Listen(addr), Advertise: test.advertise})
		if err != nil {
			if test.err == "" || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%+v: %v", test, err)
			}
			continue
		}
		if got := b.Advertised(); got != test.want || b.Addr().String() != test.listening {
			t.Errorf("%+v: %s at %s", test, got, b.Addr())
		}
		b.Close(context.Background())
	}
}

func TestSettingsUnderKafkasNames(t *testing.T) {
	want := broker.Config{
		NoAutoCreate: true, DefaultPartitions: 3, MaxRequestBytes: 4, MaxMessageBytes: 5, MaxConnections: 6, MaxConnectionsPerIP: 7,
		IdleTimeout: -1, Rack: "east",
		Coordinator: coordinator.Config{
			InitialRebalanceDelay: -1, MinSessionTimeout: 8 * time.Millisecond, MaxSessionTimeout: 9 * time.Second, MaxGroupSize: 10,
			OffsetMetadataMaxBytes: 11, Partitions: 12, OffsetsRetention: 13 * time.Minute, OffsetsRetentionCheckInterval: 14 * time.Second,
		},
	}
	var got broker.Config
	set := map[string]string{
		"auto.create.topics.enable": "false", "broker.rack": "east", "num.partitions": "3", "socket.request.max.bytes": "4", "message.max.bytes": "5",
		"max.connections": "6", "max.connections.per.ip": "7", "connections.max.idle.ms": "-1",
		"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "8", "group.max.session.timeout.ms": "9000",
		"group.max.size": "10", "offset.metadata.max.bytes": "11", "offsets.topic.num.partitions": "12",
		"offsets.retention.minutes": "13", "offsets.retention.check.interval.ms": "14000",
	}
	for property, value := range set {
		if err := got.Set(property, value); err != nil {
			t.Error(err)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, property := range broker.Properties() {
		if set[property] == "" {
			t.Errorf("%s is not tested", property)
		}
	}
	if !slices.IsSorted(broker.Properties()) {
		t.Error("the properties are not sorted")
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	for _, test := range []struct{ property, value, want string }{
		{"group.max.size", "many", "group.max.size=many: a whole number from 1 to 2147483647 is needed"},
		{"group.max.size", "0", "group.max.size=0: a whole number from 1"},
		{"group.initial.rebalance.delay.ms", "-1", "a whole number from 0"},
		{"connections.max.idle.ms", "99999999999", "a whole number from -1"},
		{"auto.create.topics.enable", "perhaps", "true or false is needed"},
		{"group.min.sesion.timeout.ms", "1", `there is no setting "group.min.sesion.timeout.ms"; near to it are ` +
			"group.min.session.timeout.ms, group.max.session.timeout.ms, "},
		{"max_connections", "1", "near to it are max.connections, max.connections.per.ip, "},
		{strings.Repeat("x", 1<<20), "1", "near to it are "},
	} {
		var c broker.Config
		if err := c.Set(test.property, test.value); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40s=%s: %.300v, want %s", test.property, test.value, err, test.want)
		}
		if !reflect.DeepEqual(c, broker.Config{}) {
			t.Errorf("%.40s=%s changes %+v", test.property, test.value, c)
		}
	}
}

func TestTLS(t *testing.T) {
	certificate, roots := selfSigned(t)
	l := memnet.Listen(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092})
	b, err := broker.Listen(t.Context(), broker.Config{Listener: l, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close(ended())
	raw, err := l.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	secure := tls.Client(raw, &tls.Config{RootCAs: roots, ServerName: "broker.example"})
	defer secure.Close()
	c := &client{t: t, conn: secure}
	c.wantAlive()

	plain, err := l.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	plain.Write((&client{}).frame(1, heartbeat("g")))
	plain.SetReadDeadline(time.Now().Add(time.Minute))
	for err == nil { // an alert, and then the end
		_, err = plain.Read(make([]byte, 100))
	}
	c.wantAlive()
}
