# Builds for other processors, by clang with Debian's libraries for them, tested under qemu's user-mode emulation. For arm64 the program and
# its package; for big-endian processors the units and vectors of the core. Not part of `test`, because emulation is slow. Sourced, never
# run.

# command_elsewhere PROCESSOR [arguments of ctest]
command_elsewhere() {
  local processor=${1:-}
  prepare_elsewhere "$processor"
  build "$processor"
  if [[ $processor == aarch64 ]]; then
    rm -rf build/aarch64/packages
    mkdir build/aarch64/packages
    DEB_HOST_ARCH=arm64 build_debian_packages build/aarch64 build/aarch64/packages
    build release portail_contract # the contract suite is native
  fi
  run_tests "$processor" "${@:2}"
}

# prepare_elsewhere PROCESSOR: unpacks Debian's libraries for it in build/elsewhere; none of their programs runs. DEBIAN has their
# dependency metadata, where dpkg-shlibdeps searches it.
prepare_elsewhere() {
  local processor=$1 folder=$checkout/build/elsewhere/$1 mirror architecture
  local packages=libc6-dev,libstdc++-14-dev,libsimdjson-dev,libsodium-dev,libbearssl-dev,zlib1g-dev,libgtest-dev,libgmock-dev,picojson-dev
  case $processor in
    aarch64)
      architecture=arm64
      # The libraries of the native build.
      packages+=$(printf '%s\n' "${build_packages[@]}" | sed -n '/-dev$/s/^/,/p' | tr -d '\n')
      ;;
    s390x) architecture=s390x ;;
    *) die "tools/dev elsewhere PROCESSOR: PROCESSOR must be aarch64 or s390x (big-endian)" ;;
  esac
  [[ $packages != "$(cat "$folder.packages" 2>/dev/null)" ]] || return 0
  log "fetching Debian's libraries for $processor"
  mkdir -p "${folder%/*}"
  become_root
  "${as_root[@]}" rm -rf "$folder" "$folder.packages"
  mirror=$(machine_mirror "$supported_codename")
  # The links of base-files from the old directories to /usr.
  download "${as_root[@]}" mmdebstrap --architectures="$architecture" --variant=extract --include="$packages" \
    --setup-hook='mkdir -p "$1/usr/lib" "$1/usr/lib64" && ln -s usr/lib "$1/lib" && ln -s usr/lib64 "$1/lib64"' \
    --extract-hook='mkdir "$1/DEBIAN" && for package in "$1"/var/cache/apt/archives/*.deb; do
      for file in symbols shlibs; do dpkg-deb --info "$package" "$file" >>"$1/DEBIAN/$file" || true; done
    done' \
    "$supported_codename" "$folder" "deb $mirror $supported_codename main"
  printf '%s' "$packages" >"$folder.packages"
}
