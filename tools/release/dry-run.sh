#!/usr/bin/env bash
# Everything of a release that needs no network: GoReleaser's snapshot, the image, the rewritten action.yml. Leaves dist/.
# GORELEASER is the command to run it with. SBOMs are made where syft is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."

skip=publish,sign,announce,validate
command -v syft >/dev/null || { echo "no syft on the PATH: no SBOMs"; skip=$skip,sbom; }
HOMEBREW_TAP_TOKEN=none ${GORELEASER:-goreleaser} release --snapshot --clean --skip="$skip"

for os in linux darwin windows; do
  for arch in amd64 arm64; do
    ls dist/contractpin_*"_${os}_${arch}".* >/dev/null || { echo "dist has no archive for $os/$arch"; exit 1; }
  done
done
(cd dist && sha256sum --check --quiet checksums.txt)

if docker info >/dev/null 2>&1; then
  docker build --network host --build-arg VERSION=0.0.0-dry-run --tag contractpin:dry-run .
  digest=$(docker image inspect --format '{{.Id}}' contractpin:dry-run)
else
  echo "no container engine: the image was not built; the digest below stands for one"
  digest=sha256:$(sha256sum Dockerfile | cut -d ' ' -f 1)
fi
cp action.yml dist/action.yml
go run ./tools/release -digest "$digest" dist/action.yml
go run ./tools/release -digest "$digest" -check dist/action.yml
grep -n 'image:' dist/action.yml
echo "dist/ holds what a release would publish"
