# The examples of embedding the plain module (wasm/examples): what they need and Debian does not package, and how they are built, all in
# build/embedding. Sourced, never run. Each client uses the registry that the machine has set up for it; what it brings is checked
# against the hashes that stand beside the example (go.sum, requirements.txt, jars.sha256).

prepare_embedding() {
  local folder=$checkout/build/embedding
  mkdir -p "$folder"
  install_requirements "$checkout/wasm/examples/python/requirements.txt" "$folder/python" "wasmtime's Python package"
  # One fetcher at a time in a checkout.
  exec 5<"$folder"
  flock 5
  has_fetched go/go.sum || fetch_go_modules
  has_fetched java/jars.sha256 || fetch_jars
  exec 5<&-
}

# has_fetched EXAMPLE/FILE: what this file pins is there; fetched EXAMPLE/FILE: it is, from now on.
has_fetched() { cmp -s "wasm/examples/$1" "build/embedding/${1%/*}/fetched"; }
fetched() { cp "wasm/examples/$1" "build/embedding/${1%/*}/fetched"; }

# The toolchain is Debian's, never one that is fetched.
example_go() {
  (cd wasm/examples/go && GOTOOLCHAIN=local GOFLAGS=-modcacherw GOMODCACHE=$checkout/build/embedding/go/modules with_progress go "$@")
}

fetch_go_modules() {
  say "fetching wazero"
  mkdir -p build/embedding/go
  example_go mod download
  fetched go/go.sum
}

fetch_jars() {
  local folder=$checkout/build/embedding/java certificates=/etc/ssl/certs/ca-certificates.crt trust=()
  say "fetching Chicory and Jetty"
  rm -rf "$folder"
  mkdir -p "$folder/lib"
  # Java believes authorities of its own only; behind a gateway the machine's are needed.
  if [[ -e $certificates ]]; then
    openssl pkcs12 -export -nokeys -jdktrust anyExtendedKeyUsage -in "$certificates" -passout pass:public -out "$folder/trust.p12"
    trust=("-Djavax.net.ssl.trustStore=$folder/trust.p12" -Djavax.net.ssl.trustStorePassword=public)
  fi
  (cd wasm/examples/java && with_progress java "${trust[@]}" -jar /usr/share/java/ivy.jar -cache "$folder/cache" -ivy pom.xml \
    -confs runtime -retrieve "$folder/lib/[artifact]-[revision].[ext]")
  (cd "$folder/lib" && sha256sum --check --status "$checkout/wasm/examples/java/jars.sha256") ||
    die "the registry's jars are not those that wasm/examples/java/jars.sha256 names"
  rm -rf "$folder/cache" "$folder/trust.p12"
  fetched java/jars.sha256
}

# From the module that `build wasm` made. What is newer than the module and its sources stays.
make_embedding() {
  local module=$checkout/build/emscripten/portail.wasm folder=$checkout/build/embedding
  say "building the examples of embedding"
  example_go build -o "$folder/go/serve" .
  make_java_example "$module" "$folder/java"
  run make --no-print-directory --directory wasm/examples/c MODULE="$module" BUILD="$folder/c"
}

make_java_example() {
  local module=$1 folder=$2
  [[ -z $(find "$module" wasm/examples/java -newer "$folder/made" 2>&1) ]] && return
  (
    cd wasm/examples/java
    rm -rf "$folder"/{tool,sources,classes}
    mkdir -p "$folder"/{sources,classes}
    run javac -cp "$folder/lib/*" -d "$folder/tool" CompileModule.java
    run java -cp "$folder/tool:$folder/lib/*" CompileModule "$module" "$folder/classes" "$folder/sources"
    run javac -cp "$folder/classes:$folder/lib/*" -d "$folder/classes" "$folder"/sources/wasm/*.java \
      Serve.java Portal.java Encoding.java FolderStore.java KnownValues.java TargetsAsTheyAre.java
  )
  touch "$folder/made"
}
