# The targets that people use are those that `make help` lists.

GO        ?= go
TESTFLAGS ?=
FUZZTIME  ?= 20000x

# The race detector needs a C compiler; without one the tests run all the same.
RACE := $(shell command -v $$($(GO) env CC) >/dev/null 2>&1 && echo -race)

# Folders with a go.mod: the root, and the modules that keep their requirements to themselves.
MODULES := $(sort $(patsubst %/go.mod,%,$(shell find . -name go.mod -not -path '*/testdata/*')))

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## test everything; a real Kafka too, where Java and Maven are
	@set -e; for module in $(MODULES); do (cd $$module && set -x && $(GO) test $(RACE) $(TESTFLAGS) ./...); done

.PHONY: test-kafka
test-kafka: ## test with real Kafka brokers and foreign clients, and fail where they cannot run
	@set -e; for module in $(MODULES); do (cd $$module; \
		packages=$$($(GO) list -f '{{.Dir}} {{.TestImports}} {{.XTestImports}}' ./... | awk '/joinsync\/internal\/kafkatest/ {print $$1}'); \
		[ -z "$$packages" ] || (set -x && JOINSYNC_REQUIRE_KAFKA=1 $(GO) test -count=1 $(TESTFLAGS) $$packages)); done

.PHONY: differ
differ: ## compare with Kafka in random schedules; STEPS=100000 for longer, SETTINGS=group.max.size=2
	JOINSYNC_REQUIRE_KAFKA=1 $(GO) test -count=1 -v -timeout 0 -run TestKafkaAndOurServerAgree ./internal/differ -args \
		-steps=$(or $(STEPS),3000) -seed=$(or $(SEED),0) -settings=$(SETTINGS)

.PHONY: differ-assignors
differ-assignors: ## compare joinsync assign with Java's assignors in random cases; CASES=100000 for more, SEED=4711
	cd interop && JOINSYNC_REQUIRE_KAFKA=1 $(GO) test -count=1 -v -timeout 0 -run TestAssignorsAnswerAsJava . -args \
		-cases=$(or $(CASES),20000) -seed=$(or $(SEED),0)

.PHONY: lint
lint: ## check the rules of the house, gofmt, vet and staticcheck; part of make test
	$(GO) test -count=1 ./internal/lint

.PHONY: fmt
fmt: ## format all Go files
	gofmt -w .

.PHONY: fuzz
fuzz: ## run every fuzz target for a while; FUZZTIME=1m for longer
	@set -e; grep -roE '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' . | sort | while IFS=: read -r file function; do \
		(cd "$${file%/*}" && set -x && $(GO) test -run '^$$' -fuzz "^$${function#func }\$$" -fuzztime $(FUZZTIME) .); \
	done

.PHONY: bench
bench: ## time joins and rebalances, ours beside kfake's
	cd bench && $(GO) run .

.PHONY: bench-assignors
bench-assignors: ## time assignors, ours beside those of Java, franz-go and Sarama; ARGS='-rows "^b sticky"' for some
	@cd bench/assignors && $(GO) run . $(ARGS)

.PHONY: sim
sim: ## simulate the core for ten million steps; SEED=7 SEEDS=1 for one run again
	$(GO) test -count=1 -run TestSeeds -v ./internal/sim -moves 8000 -seed $(or $(SEED),1) -seeds $(or $(SEEDS),3000)

.PHONY: storms
storms: ## 2,004 runs of clients, broker and coordinator under faults; SEED=7 SEEDS=1 for some again
	cd internal/wholepath && $(GO) test -count=1 -run Storms -timeout 2h . -seed $(or $(SEED),1) -seeds $(or $(SEEDS),167)

.PHONY: mutants
mutants: ## put small faults into the core, and tell what catches each
	$(GO) run ./internal/mutants

.PHONY: cover
cover: ## show how much of each function the tests reach
	$(GO) test -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out

.PHONY: demo
demo: ## run three members, their rebalances and a crash, in one process
	$(GO) run ./cmd/joinsync demo
