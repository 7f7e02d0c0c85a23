# What a developer of contractpin runs. `make` alone lists the targets.
GO         ?= go
FUZZTIME   ?= 30s
IMAGE      ?= contractpin:dev
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
ACT         = github.com/nektos/act@v0.2.89
GORELEASER  = $(GO) run github.com/goreleaser/goreleaser/v2@v2.15.1
GRAFANA     = github.com/grafana/mcp-grafana/cmd/mcp-grafana@v1.6.3

.DEFAULT_GOAL := help
.PHONY: help build test race lint cross e2e e2e-tools bench bench-run fuzz screenshots image release-dry-run clean

help: ## list these targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /  \1\t/' | expand -t 16

build: ## bin/contractpin and bin/action
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/...

test: ## all tests that need nothing but Go
	$(GO) test ./...

race: ## the same under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race ./...

lint: ## gofmt, vet, tidy, staticcheck, for the product and for e2e
	@files=$$(git ls-files '*.go' | xargs gofmt -l); [ -z "$$files" ] || { echo "gofmt would change:"; echo "$$files"; exit 1; }
	$(GO) vet ./...
	$(GO) mod tidy -diff
	$(GO) run $(STATICCHECK) ./...
	cd e2e && $(GO) vet ./...
	cd e2e && $(GO) mod tidy -diff
	cd e2e && $(GO) run $(STATICCHECK) ./...

cross: ## vet for the other platforms
	for os in darwin windows; do GOOS=$$os GOARCH=arm64 CGO_ENABLED=0 $(GO) vet ./... || exit 1; done

e2e: e2e-tools ## everything that needs Node, Docker and the real servers
	cd e2e && $(GO) test -count=1 -timeout 30m ./...

e2e-tools: e2e/node_modules/.package-lock.json e2e/.bin/act e2e/.bin/mcp-grafana ## install what e2e runs against

e2e/node_modules/.package-lock.json: e2e/package-lock.json
	cd e2e && { npm ci || npm ci; }
	@touch $@

e2e/.bin/act:
	GOBIN=$(CURDIR)/e2e/.bin $(GO) install $(ACT)

e2e/.bin/mcp-grafana:
	GOBIN=$(CURDIR)/e2e/.bin $(GO) install $(GRAFANA)

bench: ## throughput of the canonicalizer and digests, as ratios
	$(GO) test -run='^$$' -bench=Ratio -benchtime=1x ./internal/canon ./internal/contract

bench-run: build e2e/node_modules/.package-lock.json ## wall time of verify against bare clients, paired, and our peak memory
	cd e2e && $(GO) run ./benchrun

fuzz: ## every fuzz target for FUZZTIME each (make fuzz FUZZTIME=10m)
	@for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$target"; \
	    $(GO) test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=50x $$pkg || exit 1; \
	  done; \
	done

screenshots: e2e/node_modules/.package-lock.json ## the pictures under docs/images
	cd e2e && $(GO) run ./screenshots

image: ## the action's image
	docker build --network host -t $(IMAGE) .

release-dry-run: ## a release but for what needs the network: archives, image, the rewritten action.yml
	GORELEASER="$(GORELEASER)" bash tools/release/dry-run.sh

clean: ## what make made
	rm -rf bin dist dist-docs e2e/.bin e2e/node_modules
