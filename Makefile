# Everything a person, a developer and CI run. The two that matter first:
#   make run    the window (without a display: the demo, written to build/)
#   make test   the tests
# Each target installs what it needs and this machine lacks; see .ci/install.

# A pipe fails with its first part, not its last.
SHELL := bash
.SHELLFLAGS := -o pipefail -c

BIN     := build/roots-manager
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 10s

# The same flags everywhere: others would compile the window's toolkit again,
# which takes minutes. The linker flags cost nothing.
export GOFLAGS ?= -buildvcs=false
LDFLAGS := -s -w -X main.version=$(VERSION)
TESTFLAGS := -race -tags ci -timeout 15m

# On a complete machine (REQUIRE_PEERS=1) tests also get a display, a session
# bus and a keyring, because there a test may not skip for want of one.
ifeq ($(REQUIRE_PEERS),1)
TEST_PEERS := peers test-desktop
TEST_SESSION := .ci/headless --session
endif

.PHONY: build run test e2e bench soak lint fuzz screenshots peers deps test-deps test-desktop clean
.DEFAULT_GOAL := build

build: ## compile build/roots-manager
	@.ci/install build
	@[ -e $(BIN) ] || echo "Building. The first time takes a few minutes: the window's toolkit is compiled."
	go build -ldflags "$(LDFLAGS)" -o $(BIN) .

run: build ## open the window; without a display play the demo
	@.ci/demo $(BIN)

test: test-deps $(TEST_PEERS) ## unit and integration tests with the race detector
	$(TEST_SESSION) go test $(TESTFLAGS) ./...

e2e: build peers test-desktop ## drive the real window; screenshots in build/e2e
	REQUIRE_PEERS=1 .ci/headless --session go test -count=1 -tags e2e -timeout 10m ./app/ui/e2e

screenshots: build peers test-desktop ## every screen, both themes and sizes, in build/e2e/screens
	REQUIRE_PEERS=1 .ci/headless --session go test -count=1 -tags e2e -timeout 10m -run TestScreens ./app/ui/e2e

bench: build peers test-desktop ## medians and p99; figures in build/bench
	@mkdir -p build/bench
	go run ./mcpclient/bench 2>&1 | tee build/bench/protocol.txt
	go run ./app/bench # writes scale.txt, .json and .svg
	REQUIRE_PEERS=1 .ci/headless --session go test -count=1 -tags e2e,figures -timeout 10m -run TestFigures ./app/ui/e2e -v 2>&1 | tee build/bench/window.txt

SOAK ?= 30m
soak: test-deps ## servers that crash and folders that come and go, for SOAK (30m)
	ROOTS_MANAGER_SOAK=$(SOAK) go test -count=1 -race -tags ci -timeout 2h -run TestSoak -v ./app

lint: ## format, vet, staticcheck, known vulnerabilities, stray names
	@.ci/install build
	@.ci/lint

fuzz: test-deps ## every fuzz target for FUZZTIME (10s)
	@.ci/fuzz $(FUZZTIME)

peers: ## the npm servers that tests talk to, in build/peers
	@.ci/install peers
	@.ci/peers

deps: ## everything any target needs
	@.ci/install build display e2e peers

test-deps:
	@.ci/install test

test-desktop:
	@.ci/install e2e

clean: ## remove what was built
	rm -rf build
