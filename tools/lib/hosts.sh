# The JavaScript hosts that the module is tried in, beside Debian's nodejs and chromium: Deno, Bun and workerd, and playwright-core,
# which steers chromium; as tests/wasm/hosts/package-lock.json pins them, in build/javascript-hosts. Sourced, never run.

prepare_hosts() {
  prepare_routers
  local folder=$checkout/build/javascript-hosts program found
  install_locked "$checkout/tests/wasm/hosts" "$folder" "Deno, Bun, workerd and playwright-core"
  # The programs are in packages of their own, one for each platform; their installers, which did not run, would have found them.
  mkdir -p "$folder/bin"
  for program in @deno/linux-*-glibc/deno @oven/bun-linux-*/bin/bun @cloudflare/workerd-linux-*/bin/workerd; do
    found=$(runnable "$folder"/node_modules/$program) || die "${program##*/} does not run here"
    ln -sf "${found/#$folder/..}" "$folder/bin/${program##*/}"
  done
}

# What the examples of routers and of a bundler are programs of.
prepare_routers() { install_locked "$checkout/wasm/examples/routers" "$checkout/build/routers" "Express, Fastify, Hono and esbuild"; }

# runnable FILE...: the first of them that runs on this machine.
runnable() {
  local file
  for file in "$@"; do
    [[ -x $file ]] || chmod +x "$file" 2>/dev/null || continue
    ! "$file" --version >/dev/null 2>&1 || { printf '%s\n' "$file" && return 0; }
  done
  return 1
}
