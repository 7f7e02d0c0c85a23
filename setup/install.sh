#!/usr/bin/env bash
# Downloads a release of the contractpin command, checks it, and puts it on the job's PATH. Run by setup/action.yml, with
# VERSION, ACTION_REF, ATTESTATION, RELEASES_URL and GH_TOKEN from its inputs and the runner's own variables.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

die() { # MESSAGE: one annotation, on one line
  echo "::error title=Set up contractpin::$1"
  exit 1
}

# The release that this action belongs to: the tag that it was used by, else what the release wrote beside it.
version=${VERSION:-}
if [ -z "$version" ] && [[ ${ACTION_REF:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then version=$ACTION_REF; fi
if [ -z "$version" ] && [ -f "$here/version" ]; then version=$(tr -d '\r\n' <"$here/version"); fi
[ -n "$version" ] || die "no release to install: set the input version, as v1.2.3"
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || die "the input version is not of the form v1.2.3"

case ${RUNNER_OS:-} in
Linux) os=linux ext=tar.gz exe=contractpin ;;
macOS) os=darwin ext=tar.gz exe=contractpin ;;
Windows) os=windows ext=zip exe=contractpin.exe ;;
*) die "no release for RUNNER_OS ${RUNNER_OS:-(unset)}: Linux, macOS and Windows have one" ;;
esac
case ${RUNNER_ARCH:-} in
X64) arch=amd64 ;;
ARM64) arch=arm64 ;;
*) die "no release for RUNNER_ARCH ${RUNNER_ARCH:-(unset)}: X64 and ARM64 have one" ;;
esac

temp=${RUNNER_TEMP:?not on a runner: RUNNER_TEMP is unset}
temp=${temp//\\//} # Windows hands a path with backslashes
dir=$temp/contractpin-$version
archive=contractpin_${version#v}_${os}_${arch}.$ext
mkdir -p "$dir"

download() { # FILE
  curl --fail --silent --show-error --location --retry 3 --retry-connrefused --output "$dir/$1" "$RELEASES_URL/$version/$1" ||
    die "cannot download $1 of $version: is there such a release, and can this job reach it?"
}
download checksums.txt
download "$archive"

want=$(awk -v f="$archive" '$2 == f || $2 == "*" f { print $1 }' "$dir/checksums.txt")
[[ $want =~ ^[0-9a-f]{64}$ ]] || die "checksums.txt of $version has no line for $archive"
if command -v sha256sum >/dev/null; then got=$(sha256sum "$dir/$archive"); else got=$(shasum -a 256 "$dir/$archive"); fi
got=${got#\\} # sha256sum marks a name with backslashes so
[ "${got%% *}" = "$want" ] || die "$archive is not what checksums.txt of $version promises: nothing was installed"

case ${ATTESTATION:-auto} in
skip) ;;
auto | require)
  if command -v gh >/dev/null && [ -n "${GH_TOKEN:-}" ]; then
    gh attestation verify "$dir/$archive" --repo contractpin/verify >/dev/null ||
      die "the build provenance of $archive could not be confirmed: nothing was installed"
  elif [ "$ATTESTATION" = require ]; then
    die "attestation: require needs gh and a token"
  fi
  ;;
*) die "the input attestation takes auto, require or skip" ;;
esac

if [ "$ext" = zip ]; then unzip -q -o "$dir/$archive" -d "$dir"; else tar -xzf "$dir/$archive" -C "$dir"; fi
[ -f "$dir/$exe" ] || die "$archive holds no $exe"
rm -f "$dir/$archive"
echo "$dir" >>"$GITHUB_PATH"
{
  echo "version=$version"
  echo "path=$dir/$exe"
} >>"$GITHUB_OUTPUT"
"$dir/$exe" --version
