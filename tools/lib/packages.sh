# The required Debian 13 packages by group, and their installation. Sourced, never run.

build_packages=(
  cmake ninja-build ccache g++ pkgconf
  libsimdjson-dev libsodium-dev libbearssl-dev libssl-dev zlib1g-dev libzstd-dev liblmdb-dev libsqlite3-dev libhiredis-dev libpq-dev libcurl4-openssl-dev libcli11-dev libtomlplusplus-dev
  prometheus-cpp-dev
  nodejs node-corepack
  openssl python3)
tests_packages=(
  libgtest-dev libgmock-dev picojson-dev libcpp-httplib-dev opentelemetry-cpp-dev libabsl-dev
  curl strace sqlite3 lmdb-utils nginx-light systemd valkey-server valkey-tools postgresql-17
  libbenchmark-dev wrk)
packaging_packages=(busybox-static docker-registry dpkg-dev file maven mmdebstrap openssl python3 skopeo)
browser_packages=(nodejs node-corepack chromium-headless-shell)
# What only tests of --full need: shells, Prometheus, and clients in other languages.
full_packages=(
  zsh fish mandoc prometheus nodejs node-corepack python3 python3-venv
  mono-mcs mono-runtime libmono-system-net-http4.0-cil libmono-system-runtime-serialization4.0-cil)
# cargo-web is the newer cargo of Debian 13, which Viceroy needs; one machine cannot have both.
vectors_packages=(ca-certificates cargo-web nodejs node-corepack python3)
hosts_packages=(nodejs node-corepack chromium-headless-shell)
format_packages=(clang-format-19 golang-go codespell git python3)
lint_packages=(clang-19 clang-tidy-19 lld-19 libclang-rt-19-dev)
wasm_packages=(
  cmake ninja-build googletest python3 python3-venv
  clang-19 lld-19 llvm-19 libclang-rt-19-dev-wasm32 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 wasi-libc
  emscripten nodejs)
edge_packages=(
  cmake ninja-build googletest python3 python3-venv python3-yaml nodejs node-corepack binaryen cargo-web
  clang-19 lld-19 llvm-19 libclang-rt-19-dev-wasm32 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 wasi-libc)
embedding_packages=(
  golang-go openjdk-21-jdk-headless ivy openssl python3 python3-venv mypy
  wabt gcc libc6-dev)
elsewhere_packages=(mmdebstrap qemu-user clang-19 lld-19 llvm-19 binutils-aarch64-linux-gnu)
docs_packages=(python3 python3-venv)
histories_packages=(golang-go patroni python3-etcd etcd-server)

packages_of_groups() {
  local group groups
  groups=$(compgen -A variable | sed -n 's/_packages$//p' | xargs)
  for group in ${1//all/$groups}; do
    [[ " $groups " == *" $group "* ]] || die "unknown group of packages: $group (${groups// /, }, all)"
    local -n list="${group}_packages"
    printf '%s\n' "${list[@]}"
  done | sort -u
}

is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

missing_packages() {
  local package
  packages_of_groups "$1" | while read -r package; do
    is_installed "$package" || printf '%s\n' "$package"
  done
}

# install_packages "GROUP...": installs the missing packages of these groups, without questions.
install_packages() {
  local missing certificates=/etc/ssl/certs/ca-certificates.crt saved=
  # Only one installation at a time on this machine; a process that waited finds nothing to install.
  exec 9</var/lib/dpkg
  flock 9
  mapfile -t missing < <(missing_packages "$1")
  if ((${#missing[@]} > 0)); then
    log "installing ${#missing[@]} Debian packages: ${missing[*]}"
    # A machine may have certificates without their package (behind a gateway); installing the package would drop them.
    if [[ -e $certificates ]] && ! is_installed ca-certificates; then saved=$(<"$certificates"); fi
    become_root
    apt_get update
    apt_get install --yes --no-install-recommends "${missing[@]}"
    if [[ -n $saved ]]; then "${as_root[@]}" tee -a "$certificates" <<<"$saved" >/dev/null; fi
    stop_services "${missing[@]}"
  fi
  exec 9<&-
}

# stop_services PACKAGE...: disables the services of newly installed packages; tests start their own servers.
stop_services() {
  local -A service_of=([nginx-light]=nginx.service [valkey-server]=valkey-server.service [prometheus]=prometheus.service
    [postgresql-17]=postgresql.service [etcd-server]=etcd.service [patroni]=patroni.service
    [docker-registry]=docker-registry.service)
  local package
  for package in "$@"; do
    [[ -v service_of[$package] ]] || continue
    log "disabling ${service_of[$package]}: the tests start their own servers"
    "${as_root[@]}" systemctl --quiet disable "${service_of[$package]}"
    [[ ! -d /run/systemd/system ]] || "${as_root[@]}" systemctl stop "${service_of[$package]}"
  done
}

apt_get() {
  download "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" 9<&-
}

# Prints every suite of the machine's apt as ADDRESS/dists/SUITE. Needs no package lists and reads both source formats.
machine_suites() {
  apt-get update --print-uris 2>/dev/null | sed -n "s|^'\([^']*/dists/[^']*\)/InRelease'.*|\1|p"
}

# machine_mirror CODENAME: prints the address of the machine's Debian mirror; nothing if it has none (Ubuntu).
machine_mirror() {
  local addresses address
  addresses=$(machine_suites | sed -n "s|/dists/$1\$||p")
  # Other repositories use Debian's code names too; an address that ends in "debian" is preferred.
  address=$(grep -m 1 '/debian/*$' <<<"$addresses" || head -n 1 <<<"$addresses")
  # Cloud images name a file with a list of mirrors.
  if [[ $address == mirror+file:* ]]; then
    address=$(grep -m 1 -o '^[a-z]*://[^[:space:]]*' "/${address#mirror+file:/}" 2>/dev/null || true)
  fi
  printf '%s\n' "${address%/}"
}

# machine_mirror_key ADDRESS: prints the key file of the machine's source with that address, if it names one.
machine_mirror_key() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [[ -e $file ]] || continue
    # Records are stanzas in the newer format, lines in the older one.
    awk -v address="$1" -v RS="$([[ $file == *.list ]] && echo '\n')" '
      index($0, address) && match($0, /[Ss]igned-[Bb]y[:=][ \t]*\/[^] \t\n]+/) {
        key = substr($0, RSTART, RLENGTH); sub(/^[^\/]*/, "", key); print key; exit }' "$file"
  done | head -n 1
}
