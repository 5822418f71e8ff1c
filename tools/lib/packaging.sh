# tools/dev package: builds the distributed packages in build/packages, and tests them. Sourced, never run.

packages_folder=$checkout/build/packages

# The published components.
components="portail-wasmtime portail-wasmtime-p2 portail-wasi-keyvalue portail-spin portail-spin-p2
  portail-manage-wasmtime portail-manage-wasmtime-p2 portail-manage-wasi-keyvalue portail-manage-spin portail-manage-spin-p2"

# Those of Fastly Compute, which an OCI layout of components does not have.
modules="portail-fastly portail-manage-fastly"

# command_package [--test [arguments of ctest]]
command_package() {
  build package
  # shellcheck disable=SC2086
  build edge $(printf '%s_component ' $components $modules)
  build wasm
  prepare_package
  rm -rf "$packages_folder"
  mkdir -p "$packages_folder"
  build_debian_packages build "$packages_folder"
  build_tarball
  build_components
  build_edge_package
  build_npm_package
  cp build/package/portail-*.tgz "$packages_folder"
  build_module_tarball "$packages_folder"
  build_wheel build/python
  build_go_module build/go
  prepare_embedding
  build_java_package build/java
  cp build/python/*.whl build/go/*.tar.gz build/java/*.{jar,pom} "$packages_folder"
  command_docs
  build_docs_archive
  python3 -B native/packaging/sbom.py "$packages_folder" >build/sbom.json
  mv build/sbom.json "$packages_folder/portail-$(version_of_project).cdx.json"
  (cd "$packages_folder" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
  log "packages, in build/packages: $(cd "$packages_folder" && printf '%s ' *)"
  [[ ${1:-} == --test ]] || return 0
  prepare_clean_root
  prepare_walks
  prepare_viceroy
  build release portail_contract
  run_tests package "${@:2}"
}

version_of_project() { sed -n 's/^project(portail VERSION \([^ ]*\).*/\1/p' CMakeLists.txt; }

# build_debian_packages BUILD DIRECTORY: packages the program of that build, its module if it has one, and the library into the directory. cpack uses a
# staging directory of its own.
build_debian_packages() {
  local config
  log "building the Debian packages"
  for config in "$1"/CPackConfig.cmake "$1"/CPackOtlp.cmake "$1"/CPackLibrary.cmake; do
    [[ ! -e $config ]] || (umask 022 && cd "$1" && with_progress cpack -G DEB --config "${config##*/}" -B "$PWD/cpack")
  done
  mv "$1"/cpack/*.deb "$2"
  rm -rf "$1/cpack"
}

# Builds the tarball of the program for other systems, with all its libraries.
build_tarball() {
  local name staged=$checkout/build/bundle
  name=$(sed -n 's/^set(CPACK_PACKAGE_FILE_NAME "\(.*\)")$/\1/p' build/CPackConfig.cmake)
  log "building the tarball"
  rm -rf "$staged"
  run cmake --install build --component bundle --strip --prefix "$staged/$name" >build/bundle.log
  tar_of "$staged" "$name" >"$packages_folder/$name.tar.gz"
  rm -rf "$staged"
}

# Builds the tarball of the components: each as a file, with what runs it on its host, and all as an OCI layout.
build_components() {
  local name file folder staged=$checkout/build/components
  name=portail-components-$(version_of_project)
  folder=$staged/$name
  log "building the tarball of the components"
  rm -rf "$staged"
  mkdir -p "$folder"
  # shellcheck disable=SC2086
  cp $(printf 'build/wasi/%s.wasm ' $components $modules) LICENSE edge/wasmtime/portail-edge.* edge/wasmcloud/workload.yaml edge/load-values "$folder"
  cp -r edge/spin/runtime-config "$folder"
  # In a checkout they name the components of the build, and build them.
  for file in edge/spin/*.toml edge/wasmtime/serve; do
    cp "$file" "$folder"
    sed -i '\|^\[component\.portail\.build\]$|,/^$/d; s|\.\./\.\./build/wasi/||' "$folder/${file##*/}"
  done
  sed "s|^build = .*|build = \"mkdir -p bin \&\& cp portail-fastly.wasm bin/main.wasm\"|" edge/fastly/fastly.toml >"$folder/fastly.toml"
  build_spin_template "$folder" "$folder/templates/portail"
  # shellcheck disable=SC2086
  run python3 -B edge/package/oci_layout.py "$folder/oci" build/edge-tools/wasm-tools $(printf 'build/wasi/%s.wasm ' $components)
  tar_of "$staged" "$name" >"$packages_folder/$name.tar.gz"
  rm -rf "$staged"
}

# build_spin_template CONTENTS FOLDER: the template of `spin new -t portail`, of the application in the tarball. Spin replaces what stands
# in braces, except between raw and endraw.
build_spin_template() {
  mkdir -p "$2/metadata" "$2/content/runtime-config"
  cp edge/spin/template/spin-template.toml "$2/metadata"
  cp "$1/portail-spin.wasm" "$2/content"
  cp "$1/runtime-config/sqlite.toml" "$2/content/runtime-config"
  sed -e 's/^name = "portail"$/name = "{{project-name | kebab_case}}"/' \
    -e 's/^\(issuer\|audience\) = { required = true,/\1 = { default = "{{\1}}",/' \
    -e 's/^allowed_outbound_hosts = .*/{% raw %}&{% endraw %}/; s/^portail_.*/{% raw %}&{% endraw %}/' \
    "$1/spin.toml" >"$2/content/spin.toml"
}

# build_module_tarball DIRECTORY: the plain modules with the header, for programs of any language, and a sample in the layout of a `dir:` store.
build_module_tarball() {
  local name key value staged=$checkout/build/module-tarball
  name=portail-module-$(version_of_project)
  log "building the tarball of the modules"
  rm -rf "$staged"
  mkdir -p "$staged/$name/sample" "$1"
  cp build/emscripten/portail.wasm build/emscripten/portail-manage.wasm wasm/abi/* LICENSE "$staged/$name"
  render_pages "$staged/$name" wasm/abi=.
  sed 's/^{"key":"\(.*\)","value":"\(.*\)"}$/\1 \2/' fixtures/development.jsonl | while read -r key value; do
    base64 --decode <<<"$value" >"$staged/$name/sample/$key"
  done
  (
    cd "$staged/$name"
    find . -type f -exec chmod 644 {} +
    find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum -- >../SHA256SUMS
    mv ../SHA256SUMS .
  )
  tar_of "$staged" "$name" >"$1/$name.tar.gz"
  rm -rf "$staged"
}

# Builds the CMake package of edge/package.
build_edge_package() {
  local name staged=$checkout/build/edge-package
  name=portail-edge-$(version_of_project)
  log "building the CMake package"
  rm -rf "$staged"
  run cmake --install build/wasi --component edge --prefix "$staged/$name" >build/wasi/install.log
  tar_of "$staged" "$name" >"$packages_folder/$name.tar.gz"
  rm -rf "$staged"
}

# Builds the archive of the documentation site, for any web server or without one.
build_docs_archive() {
  local name staged=$checkout/build/docs-archive
  name=portail-docs-$(version_of_project)
  log "building the archive of the documentation site"
  rm -rf "$staged"
  mkdir -p "$staged"
  cp -r build/site "$staged/$name"
  tar_of "$staged" "$name" >"$packages_folder/$name.tar.gz"
  rm -rf "$staged"
}

# render_pages FOLDER SOURCE=TARGET...: renders the pages of a package.
render_pages() { run python3 -B "$checkout/tools/docs/package_pages.py" "$@"; }

# tar_of DIRECTORY NAME: prints DIRECTORY/NAME as a reproducible compressed tar archive.
tar_of() {
  tar --create --directory "$1" --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u+rwX,go+rX,go-w "$2" | gzip -9n
}

# Builds the root in which packages are tested: a minimal Debian 13 with apt's lists and the downloaded dependencies, so that the tests need
# no network; and build/walks/debian, a repository of the packages that the walks install.
prepare_clean_root() {
  local folder=$checkout/build/clean-root walks=$checkout/build/walks/debian package needed mirror names
  # What libportail-dev recommends, apt installs for a reader.
  names=$(python3 -B tests/packaging/walks_test.py --debian-packages &&
    dpkg-deb --field "$packages_folder"/libportail-dev_*.deb Recommends | tr , '\n' | awk '{ print $1 }')
  needed=$(for package in "$packages_folder"/*.deb; do dpkg-deb --field "$package" Depends; done && grep '^RUN' native/packaging/Containerfile && echo "$names")
  [[ ! -e $folder/root.tar || ! -e $walks/Packages || $needed != "$(cat "$folder/needed" 2>/dev/null)" ]] || return 0
  log "building the clean Debian $supported_version for the tests of packages"
  rm -rf "$folder" "$walks"
  mkdir -p "$folder" "$walks"
  become_root
  mirror=$(machine_mirror "$supported_codename")
  machine_sources / "$mirror" "$supported_codename" >"$folder/sources.list"
  download "${as_root[@]}" mmdebstrap --variant=apt --skip=cleanup/apt --include=ca-certificates \
    --customize-hook="copy-in $(echo "$packages_folder"/*.deb) /tmp" \
    --customize-hook='chroot "$1" sh -c "apt-get install --yes --no-install-recommends --download-only /tmp/*.deb"' \
    --customize-hook='chroot "$1" sh -c "apt-get download systemd-standalone-sysusers && mv systemd-standalone-sysusers_*.deb /var/cache/apt/archives"' \
    --customize-hook='mkdir -p "$1/walks/partial"' \
    --customize-hook="chroot \"\$1\" sh -c 'apt-get install --yes --no-install-recommends --download-only -o Dir::Cache::archives=/walks \
      /tmp/portail_*.deb /tmp/libportail-dev_*.deb $(xargs <<<"$names")'" \
    --customize-hook="sync-out /walks $walks" \
    --customize-hook='rm -rf "$1/walks" "$1"/tmp/*.deb' \
    "$supported_codename" "$folder/root.tar" "$folder/sources.list"
  (cd "$walks" && dpkg-scanpackages . >Packages)
  printf '%s' "$needed" >"$folder/needed"
}

# Fetches what the readers of the walks download: the servers of the Python page, Express and Fastify, and what Maven needs for the Java page.
prepare_walks() {
  local folder=$checkout/build/walks
  prepare_hosts
  if ! cmp -s tests/packaging/requirements.txt "$folder/wheels/fetched"; then
    kept_tree "$folder/wheels" tests/packaging/requirements.txt fetch_walk_wheels "$folder/wheels"
    cp tests/packaging/requirements.txt "$folder/wheels/fetched"
  fi
  if ! cmp -s tests/packaging/maven.sha256 "$folder/maven/fetched"; then
    kept_tree "$folder/maven" tests/packaging/maven.sha256 fetch_walk_maven "$folder/maven"
    cp tests/packaging/maven.sha256 "$folder/maven/fetched"
  fi
}

fetch_walk_wheels() {
  log "fetching gunicorn and uvicorn"
  download "$checkout/build/embedding/python/bin/pip" download --require-hashes --only-binary :all: \
    --requirement tests/packaging/requirements.txt --dest "$1"
}

# Runs the Java page's commands, with its pom.xml, in a repository in that directory; starts no program.
fetch_walk_maven() {
  local project page=wasm/hosts/java/README.md install trust
  log "fetching Maven's plugins"
  project=$(mktemp -d)
  sed -n '/^<project/,/^<\/project>/p' "$page" >"$project/pom.xml"
  cp build/java/portail-*.{jar,pom} "$project"
  install=$(grep -m 1 '^mvn .*:install-file ' "$page")
  trust=$(trust_of_java "$project")
  (
    cd "$project"
    export MAVEN_ARGS="-q -Dmaven.repo.local=$1" MAVEN_OPTS=$trust
    download sh -c "$install && mvn -Dexec.skip=true exec:exec"
  )
  rm -rf "$project" "$1/portail" "$1"/*/*/resolver-status.properties
  (cd "$1" && sha256sum --check --strict --quiet "$checkout/tests/packaging/maven.sha256") ||
    die "Maven's files do not have the hashes in tests/packaging/maven.sha256"
}
