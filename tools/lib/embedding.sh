# The packages for Python, Go and Java (wasm/hosts/python, wasm/hosts/go, wasm/hosts/java) and the examples of embedding (wasm/examples): their dependencies
# that Debian does not package, in build/embedding, and their builds. Sourced, never run. Clients use the registries that the
# machine configures; downloads are checked by the hashes in each directory (go.sum, requirements.txt, jars.sha256).

prepare_embedding() {
  local folder=$checkout/build/embedding
  mkdir -p "$folder"
  # Only one download at a time in a checkout.
  exec 5<"$folder"
  flock 5
  # A checkout of an earlier version has an environment without wheels.
  [[ -d $folder/python/wheels ]] && has_fetched wasm/hosts/python/requirements.txt || kept_tree "$folder/python" wasm/hosts/python/requirements.txt fetch_wheels
  has_fetched wasm/hosts/go/go.sum || kept_tree "$folder/go" wasm/hosts/go/go.sum fetch_go_modules
  has_fetched wasm/examples/java/jars.sha256 || kept_tree "$folder/java" wasm/examples/java/jars.sha256 fetch_jars
  exec 5<&-
}

# has_fetched FILE: whether the files that this lock file pins are present. mark_fetched FILE: records that they are.
has_fetched() { cmp -s "$1" "build/embedding/$(basename "${1%/*}")/fetched"; }
mark_fetched() { cp "$1" "build/embedding/$(basename "${1%/*}")/fetched"; }

# The wheel of wasmtime, from which the tests install without a network.
fetch_wheels() {
  local folder=$checkout/build/embedding/python
  log "fetching wasmtime's Python package"
  python3 -m venv "$folder"
  download "$folder/bin/pip" download --require-hashes --only-binary :all: --requirement wasm/hosts/python/requirements.txt --dest "$folder/wheels"
  mark_fetched wasm/hosts/python/requirements.txt
}

# go_in RUNNER DIRECTORY ARGUMENTS...: uses Debian's toolchain, never a downloaded one. RUNNER is with_progress or download.
go_in() {
  "$1" env -C "$2" GOTOOLCHAIN=local GOFLAGS=-modcacherw "GOMODCACHE=$checkout/build/embedding/go/modules" go "${@:3}"
}

fetch_go_modules() {
  log "fetching wazero"
  go_in download wasm/hosts/go mod download
  mark_fetched wasm/hosts/go/go.sum
}

# trust_of_java DIRECTORY: prints the options of java with which it trusts the machine's authorities, as a gateway may require: it trusts only
# its own. Writes trust.p12.
trust_of_java() {
  local certificates=/etc/ssl/certs/ca-certificates.crt
  [[ -e $certificates ]] || return 0
  openssl pkcs12 -export -nokeys -jdktrust anyExtendedKeyUsage -in "$certificates" -passout pass:public -out "$1/trust.p12"
  echo "-Djavax.net.ssl.trustStore=$1/trust.p12 -Djavax.net.ssl.trustStorePassword=public"
}

fetch_jars() {
  local folder=$checkout/build/embedding/java trust
  log "fetching Chicory and Jetty"
  mkdir -p "$folder/lib"
  read -ra trust <<<"$(trust_of_java "$folder")"
  (cd wasm/examples/java && download java "${trust[@]}" -jar /usr/share/java/ivy.jar -cache "$folder/cache" -ivy pom.xml \
    -confs runtime -retrieve "$folder/lib/[artifact]-[revision].[ext]")
  (cd "$folder/lib" && sha256sum --check --status "$checkout/wasm/examples/java/jars.sha256") ||
    die "the registry's jars do not have the hashes in wasm/examples/java/jars.sha256"
  rm -rf "$folder/cache" "$folder/trust.p12"
  mark_fetched wasm/examples/java/jars.sha256
}

# Uses the module of `build wasm`.
build_embedding() {
  local folder=$checkout/build/embedding
  log "building the packages for Python, Go and Java, and the examples of embedding"
  build_wheel build/python
  run "$folder/python/bin/pip" install --quiet --force-reinstall --no-index --find-links "$folder/python/wheels" build/python/*.whl
  build_go_module build/go
  go_in with_progress wasm/examples/go build -o "$folder/go/serve" .
  build_java_package build/java
  run javac -Xlint:all -Werror -cp "build/java/*:$folder/java/lib/*" -d "$folder/java/classes" wasm/examples/java/*.java
}

# build_go_module DIRECTORY: the Go module as a directory, portail, and as a tarball.
build_go_module() {
  local name
  name=portail-go-$(version_of_project)
  rm -rf "$1"
  mkdir -p "$1/$name"
  cp wasm/hosts/go/* build/emscripten/portail.wasm fixtures/development.jsonl LICENSE "$1/$name"
  render_pages "$1/$name" wasm/hosts/go=.
  chmod 644 "$1/$name"/*
  tar_of "$1" "$name" >"$1/$name.tar.gz"
  mv "$1/$name" "$1/portail"
}

# build_wheel DIRECTORY: the wheel of the modules of `build wasm`.
build_wheel() {
  rm -rf "$1"
  mkdir -p "$1"
  run python3 -B wasm/hosts/python/build.py build/emscripten/portail.wasm build/emscripten/portail-manage.wasm LICENSE "$(version_of_project)" "$1"
}

# build_java_package DIRECTORY: the jar of the Java package and its pom. Kept if it is newer than the module and the sources.
build_java_package() {
  local folder=$1 module=build/emscripten/portail.wasm lib=build/embedding/java/lib name
  name=portail-$(version_of_project)
  [[ -n $(find "$module" wasm/hosts/java fixtures/development.jsonl -newer "$folder/$name.jar" 2>&1) ]] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"/{sources,classes/META-INF}
  run javac -cp "$lib/*" -d "$folder/tool" wasm/hosts/java/CompileModule.java
  run java -cp "$folder/tool:$lib/*" CompileModule "$module" "$folder/classes" "$folder/sources"
  run javac -Xlint:all -Werror -cp "$folder/classes:$lib/*" -d "$folder/classes" "$folder"/sources/portail/*.java wasm/hosts/java/portail/*.java
  cp LICENSE "$folder/classes/META-INF"
  cp fixtures/development.jsonl "$folder/classes/portail"
  cp wasm/hosts/java/pom.xml "$folder/$name.pom"
  (
    cd "$folder/classes"
    find . -type f -printf '%P\n' | LC_ALL=C sort >../files
    run jar --create --file "../$name.jar" --date="$(date --utc --date="@$SOURCE_DATE_EPOCH" +%FT%TZ)" @../files
  )
}
