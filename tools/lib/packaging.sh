# tools/dev package: what people install, in build/packages, and its tests. Sourced, never run.

packages_folder=$checkout/build/packages

# The components that are published.
portals="portail-wasmtime portail-wasmtime-p2 portail-wasi-keyvalue portail-spin portail-spin-p2"

# command_package [--test [arguments of ctest]]
command_package() {
  build package
  # shellcheck disable=SC2086
  build edge $(printf '%s_component ' $portals)
  build wasm
  prepare_package
  rm -rf "$packages_folder"
  mkdir -p "$packages_folder"
  make_debian_packages build "$packages_folder"
  make_tarball
  make_components
  make_edge_package
  make_package
  cp build/package/portail-*.tgz "$packages_folder"
  command_docs
  make_docs_archive
  python3 -B native/packaging/sbom.py "$packages_folder" >build/sbom.json
  mv build/sbom.json "$packages_folder/portail-$(version_of_project).cdx.json"
  (cd "$packages_folder" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
  say "packages, in build/packages: $(cd "$packages_folder" && printf '%s ' *)"
  [[ ${1:-} == --test ]] || return 0
  prepare_pristine
  build release portail_contract
  run_tests package "${@:2}"
}

version_of_project() { sed -n 's/^project(portail VERSION \([^ ]*\).*/\1/p' CMakeLists.txt; }

# make_debian_packages BUILD FOLDER: of the program in that build, and of its module where it has one, into that folder. cpack stages
# what it packs in a folder of its own.
make_debian_packages() {
  local config
  say "making the Debian packages"
  for config in "$1"/CPackConfig.cmake "$1"/CPackOtlp.cmake; do
    [[ ! -e $config ]] || (umask 022 && cd "$1" && with_progress cpack -G DEB --config "${config##*/}" -B "$PWD/cpack")
  done
  mv "$1"/cpack/*.deb "$2"
  rm -rf "$1/cpack"
}

# The program for other systems, with all that it is linked with.
make_tarball() {
  local name staged=$checkout/build/bundle
  name=$(sed -n 's/^set(CPACK_PACKAGE_FILE_NAME "\(.*\)")$/\1/p' build/CPackConfig.cmake)
  say "making the tarball"
  rm -rf "$staged"
  run cmake --install build --component bundle --strip --prefix "$staged/$name" >build/bundle.log
  tar_of "$staged" "$name" >"$packages_folder/$name.tar.gz"
  rm -rf "$staged"
}

# The components, as an OCI layout in a tarball.
make_components() {
  local name staged=$checkout/build/components
  name=portail-components-$(version_of_project)
  say "making the layout of the components"
  rm -rf "$staged"
  mkdir -p "$staged"
  # shellcheck disable=SC2086
  run python3 -B edge/package/oci_layout.py "$staged/$name" build/edge-tools/wasm-tools $(printf 'build/wasi/%s.wasm ' $portals)
  tar_of "$staged" "$name" >"$packages_folder/$name.tar.gz"
  rm -rf "$staged"
}

# The CMake package of edge/package.
make_edge_package() {
  local name staged=$checkout/build/edge-package
  name=portail-edge-$(version_of_project)
  say "making the CMake package"
  rm -rf "$staged"
  run cmake --install build/wasi --component edge --prefix "$staged/$name" >build/wasi/install.log
  tar_of "$staged" "$name" >"$packages_folder/$name.tar.gz"
  rm -rf "$staged"
}

# The documentation site, for any web server, or a browser without one.
make_docs_archive() {
  local name staged=$checkout/build/docs-archive
  name=portail-docs-$(version_of_project)
  say "making the archive of the documentation site"
  rm -rf "$staged"
  mkdir -p "$staged"
  cp -r build/site "$staged/$name"
  tar_of "$staged" "$name" >"$packages_folder/$name.tar.gz"
  rm -rf "$staged"
}

# tar_of FOLDER NAME: what is in FOLDER/NAME, compressed; the same bytes wherever, whenever and by whomever it is made.
tar_of() {
  tar --create --directory "$1" --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u+rwX,go+rX,go-w "$2" | gzip -9n
}

# The Debian 13 that packages are tried in: pristine, but for the lists of its apt and, in its cache, what they depend on. So the tests
# need no network.
prepare_pristine() {
  local folder=$checkout/build/pristine package needed mirror
  needed=$(for package in "$packages_folder"/*.deb; do dpkg-deb --field "$package" Depends; done && grep '^RUN' native/packaging/Containerfile)
  [[ ! -e $folder/root.tar || $needed != "$(cat "$folder/needed" 2>/dev/null)" ]] || return 0
  say "making the pristine Debian $supported_version that packages are tried in"
  rm -rf "$folder"
  mkdir -p "$folder"
  become_root
  mirror=$(machine_mirror "$supported_codename")
  machine_sources / "$mirror" "$supported_codename" >"$folder/sources.list"
  with_progress "${as_root[@]}" mmdebstrap --variant=apt --skip=cleanup/apt --include=ca-certificates \
    --customize-hook="copy-in $(echo "$packages_folder"/*.deb) /tmp" \
    --customize-hook='chroot "$1" sh -c "apt-get install --yes --no-install-recommends --download-only /tmp/*.deb"' \
    --customize-hook='chroot "$1" sh -c "apt-get download systemd-standalone-sysusers && mv systemd-standalone-sysusers_*.deb /var/cache/apt/archives && rm /tmp/*.deb"' \
    "$supported_codename" "$folder/root.tar" "$folder/sources.list"
  printf '%s' "$needed" >"$folder/needed"
}
