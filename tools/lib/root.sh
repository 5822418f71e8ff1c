# The private Debian 13 root, in which tools/dev works if the machine is not Debian 13. .ci/run creates its own with the same code. Sourced,
# never run. Mounts are in a mount namespace of each command (tools/lib/enter_root), so they end with the command, and the directory can be
# removed at any time.

supported_version=13
supported_codename=trixie

is_supported_system() {
  (. /etc/os-release && [[ $ID == debian && ${VERSION_ID:-} == "$supported_version" ]])
}

# prepare_private_root "GROUP...": creates the root, if it is missing, and installs the packages of these groups.
prepare_private_root() {
  private_root=$checkout/.root/debian$supported_version
  become_root
  mkdir -p "$checkout/.root/home"
  exec 8<"$checkout/.root"
  flock 8
  if [[ ! -e $private_root.made ]]; then
    log "this machine is not Debian $supported_version, so tools/dev works in a private Debian $supported_version root;" \
      "remove it with: ${as_root[*]}${as_root:+ }rm -rf --one-file-system '$checkout/.root'"
    create_root "$private_root" 8<&-
    touch "$private_root.made"
  fi
  if [[ -n $(in_checkout as_root tools/dev setup --list $1 8<&-) ]]; then
    copy_cached_packages "$private_root" 8<&-
    in_checkout as_root tools/dev setup --packages $1 8<&-
    cache_packages "$private_root"
  fi
  exec 8<&-
}

enter_private_root() { in_checkout as_caller exec tools/dev "$@"; }

# The path of a checkout in every root: objects of ccache and Python's environments are found again by it.
checkout_in_root=/srv/portail
cache_in_root=/var/cache/dev

# in_checkout as_root|as_caller [exec] COMMAND...: runs it in the private root, with the checkout bound in. The checkout has its own path
# too, for arguments that name files.
in_checkout() {
  local who=$1
  shift
  in_root "$private_root" "$checkout_in_root" "$who" --bind "$checkout" "$checkout_in_root" --bind "$checkout" "$checkout" -- "$@"
}

# create_root DIRECTORY: creates a minimal Debian 13 there, with the machine's mirror, certificates, pip and cargo configuration, and
# nothing else of the machine.
create_root() {
  local root=$1 mirror script=/usr/share/debootstrap/scripts codename cache alias keyring
  become_root
  command -v debootstrap >/dev/null || PATH=$PATH:/usr/sbin command -v debootstrap >/dev/null || {
    log "installing debootstrap"
    apt_get update
    apt_get install --yes --no-install-recommends debootstrap
  }
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  mirror=$(machine_mirror "$codename")
  keyring=$(debian_keyring) || exit 1
  script+=/$supported_codename
  [[ -e $script ]] || script=${script%/*}/sid

  log "creating a Debian $supported_version root in $root (about half a minute)"
  "${as_root[@]}" rm -rf --one-file-system -- "$root"
  "${as_root[@]}" mkdir -p -- "$root"
  cache=$(cache_directory debs)
  # debootstrap does not support paths with spaces, so it gets a bind mount; its mounts end with the namespace. If the machine has no Debian
  # mirror, debootstrap uses its default.
  alias=$(mktemp -d)
  download "${as_root[@]}" unshare --mount --propagation private -- \
    sh -c 'mount --bind "$1" "$2" && shift 2 && PATH=$PATH:/usr/sbin:/sbin && exec debootstrap "$@"' sh "$root" \
    "$alias" --variant=minbase --force-check-gpg --keyring="$keyring" --cache-dir="$cache" "$supported_codename" "$alias" ${mirror:+"$mirror" "$script"}
  rmdir "$alias"
  # A root that a power cut damages is created again, so dpkg need not sync.
  echo force-unsafe-io | "${as_root[@]}" tee "$root/etc/dpkg/dpkg.cfg.d/portail" >/dev/null
  machine_sources "$root" "$mirror" "$codename" | "${as_root[@]}" tee "$root/etc/apt/sources.list" >/dev/null
  apt-config dump 2>/dev/null | grep -i '^Acquire::https\?::Proxy' |
    "${as_root[@]}" tee "$root/etc/apt/apt.conf.d/90machine-proxy" >/dev/null || true
}

# Prints the keyring of Debian's archive, and installs it if it is missing. Without it packages cannot be verified, so no root is created.
debian_keyring() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [[ -s $keyring ]] || {
    log "installing debian-archive-keyring"
    apt_get update >&2
    apt_get install --yes --no-install-recommends debian-archive-keyring >&2 || true
  }
  [[ -s $keyring ]] || die "cannot verify Debian's packages without its keys: install debian-archive-keyring"
  printf '%s\n' "$keyring"
}

# Prints apt's sources for the root: the machine's Debian suites, under the supported code name.
machine_sources() {
  local root=$1 mirror=$2 codename=$3
  if [[ -z $mirror ]]; then
    cat "$root/etc/apt/sources.list"
    return
  fi
  echo "deb $mirror $supported_codename main"
  machine_suites | sed -n "s#^\(.*/debian[a-z-]*\)/dists/$codename\(-updates\|-security\)\$#deb \1 $supported_codename\2 main#p"
}

# cache_directory NAME: prints this directory of what earlier runs fetched or made, outside of every root and checkout. debs has Debian
# packages, which are verified before their use. Every root has the directories too (DEV_CACHE).
cache_directory() {
  local directory=${DEV_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/portail}/$1
  mkdir -p "$directory"
  printf '%s\n' "$directory"
}

# copy_cached_packages ROOT: copies cached packages into apt's cache there, if their SHA-256 is in the current signed index. (apt itself
# would check only their size.)
copy_cached_packages() {
  local root=$1 cache hashes
  cache=$(cache_directory debs)
  hashes=$(mktemp)
  log "reading the lists of packages"
  in_root "$root" / as_root -- sh -c 'apt-get -qq update &&
    apt-get indextargets --format "\$(FILENAME)" "Created-By: Packages" | xargs -r /usr/lib/apt/apt-helper cat-file |
    sed -n "s/^SHA256: //p"' >"$hashes"
  (
    cd "$cache"
    find . -name '*.deb' -exec sha256sum {} + |
      awk 'NR == FNR { known[$1]; next } $1 in known { print $2 }' "$hashes" - |
      xargs -r "${as_root[@]}" cp -t "$root/var/cache/apt/archives"
  )
  rm -f "$hashes"
}

# cache_packages ROOT: moves the packages that its apt downloaded into the cache.
cache_packages() {
  find "$1/var/cache/apt/archives" -maxdepth 1 -name '*.deb' -exec "${as_root[@]}" cp --no-clobber -t "$(cache_directory debs)" {} +
  "${as_root[@]}" find "$1/var/cache/apt/archives" -maxdepth 1 -name '*.deb' -delete
}

# copy_cargo_configuration ROOT: copies the caller's cargo configuration to a path that every cargo in that root reads.
copy_cargo_configuration() {
  local file=${CARGO_HOME:-$HOME/.cargo}/config.toml
  [[ ! -e $file ]] || "${as_root[@]}" install -D --mode=600 --owner="$(id -u)" "$file" "$1/.cargo/config.toml"
}

# in_root ROOT DIRECTORY as_root|as_caller [--bind[-read-only] FROM TO]... -- [exec] COMMAND...: runs the command in that root, in
# DIRECTORY, with the shared directory beside the checkout, the caches and a new environment; with "exec" it replaces this process.
in_root() {
  local root=$1 directory=$2 identity=0:0:0 home=/root replace=() variable
  local binds=(--bind "$(cache_directory '')" "$cache_in_root")
  [[ ! -d $checkout/../shared ]] || binds+=(--bind-read-only "$(cd "$checkout/../shared" && pwd -P)" "${checkout_in_root%/*}/shared")
  [[ $3 == as_root ]] || identity="$(id -u):$(id -g):$(id -G | tr ' ' ,)"
  shift 3
  while [[ $1 != -- ]]; do
    binds+=("$1")
    shift
  done
  shift
  if [[ $1 == exec ]]; then replace=(exec) && shift; else replace=(run); fi
  if [[ $identity != 0:* ]]; then home=$checkout_in_root/.root/home; fi

  local environment=("HOME=$home" "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" LC_ALL=C.UTF-8 "DEV_CACHE=$cache_in_root")
  for variable in TERM COLUMNS CI SOURCE_DATE_EPOCH ${!PIP_*} ${!CARGO_*} ${!PORTAIL_*} ${!TEST_*} WASI_SDK_PREFIX http_proxy https_proxy no_proxy; do
    [[ -z ${!variable:-} || $variable == CARGO_HOME || $variable == @(PIP|CARGO)_*_TOKEN ]] || environment+=("$variable=${!variable}")
  done
  become_root
  copy_cargo_configuration "$root"
  "${replace[@]}" "${as_root[@]}" unshare --mount --propagation private -- \
    bash "$checkout/tools/lib/enter_root" "$root" "$directory" "$identity" "${binds[@]}" -- \
    env -i "${environment[@]}" "$@"
}
