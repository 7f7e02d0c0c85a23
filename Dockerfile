# The action's image: its own init as process 1, the action, the command, and what most servers are started with.
# docker run IMAGE                        the action, as GitHub starts it
# docker run IMAGE contractpin init …     the command
ARG UV_VERSION=latest
FROM ghcr.io/astral-sh/uv:${UV_VERSION} AS uv

# Built on the machine's own platform for the image's. The defaults are for builders that do not set these variables.
FROM --platform=${BUILDPLATFORM:-linux} golang:1.26-trixie AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETARCH
ARG VERSION
RUN CGO_ENABLED=0 GOOS=linux GOARCH="${TARGETARCH:-$(go env GOARCH)}" \
    go build -trimpath -ldflags "-s -w -X github.com/contractpin/verify/internal/run.Version=${VERSION}" -o /out/ ./cmd/contractpin ./cmd/action

FROM node:24-trixie-slim
LABEL org.opencontainers.image.title="contractpin" \
      org.opencontainers.image.source="https://github.com/contractpin/verify" \
      org.opencontainers.image.licenses="MIT"
# git for packages that npx and uvx fetch from repositories; docker-cli for servers that are started with docker. Perl's
# modules serve only scripts that git has for people, and its servers serve nobody here: together two fifths of the layer.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates docker-cli git python3 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/* /usr/share/doc /usr/share/man /usr/share/locale /usr/share/info \
      /usr/share/perl /usr/lib/*/perl /usr/lib/*/libperl.so* \
      /usr/lib/git-core/git-daemon /usr/lib/git-core/git-http-backend /usr/lib/git-core/git-http-push \
      /usr/lib/git-core/git-imap-send /usr/lib/git-core/git-shell /usr/lib/git-core/scalar /usr/bin/scalar /usr/bin/git-shell
# One user a running server, two of which share nothing (internal/sandbox). Nobody else may write to what they share.
RUN for i in $(seq 0 63); do \
      id=$((60600 + i)); name=$(printf 'mcp%02d' "$i"); \
      echo "$name:x:$id:$id:a server that is being listed:/srv/mcp/$id:/usr/sbin/nologin" >>/etc/passwd; \
      echo "$name:x:$id:" >>/etc/group; \
    done \
 && mkdir -m 0711 /srv/mcp \
 && chmod 0755 /run/lock
COPY --from=uv /uv /uvx /usr/local/bin/
COPY --from=build /out/contractpin /out/action /usr/local/bin/
RUN ln -s action /usr/local/bin/contractpin-init
# Root, as GitHub asks of an action's image; servers are started as users of their own.
ENTRYPOINT ["/usr/local/bin/contractpin-init"]
