# The core on other processors: its unit tests and vectors, cross-built by clang against Debian's libraries for that processor and run
# under qemu's emulation of it. Not part of `test`: emulation takes its time. Sourced, never run.

# command_elsewhere PROCESSOR [arguments of ctest]
command_elsewhere() {
  local processor=${1:-}
  prepare_elsewhere "$processor"
  build "$processor"
  run_tests "$processor" "${@:2}"
}

# prepare_elsewhere PROCESSOR: Debian's libraries for it, unpacked in build/elsewhere; none of their programs runs.
prepare_elsewhere() {
  local processor=$1 folder=$checkout/build/elsewhere/$1 mirror architecture packages
  case $processor in
    aarch64) architecture=arm64 ;;
    s390x) architecture=s390x ;;
    *) die "tools/dev elsewhere PROCESSOR: aarch64, or s390x, whose bytes are in the other order" ;;
  esac
  packages=libc6-dev,libstdc++-14-dev,libsimdjson-dev,libsodium-dev,libbearssl-dev,zlib1g-dev,libgtest-dev,libgmock-dev,picojson-dev
  [[ $packages != "$(cat "$folder.packages" 2>/dev/null)" ]] || return 0
  say "fetching Debian's libraries for $processor"
  mkdir -p "${folder%/*}"
  become_root
  "${as_root[@]}" rm -rf "$folder"
  mirror=$(machine_mirror "$supported_codename")
  # What base-files would bring: the old folders as links to those in /usr.
  with_progress "${as_root[@]}" mmdebstrap --architectures="$architecture" --variant=extract --include="$packages" \
    --setup-hook='mkdir -p "$1/usr/lib" "$1/usr/lib64" && ln -s usr/lib "$1/lib" && ln -s usr/lib64 "$1/lib64"' \
    "$supported_codename" "$folder" "deb $mirror $supported_codename main"
  printf '%s' "$packages" >"$folder.packages"
}
