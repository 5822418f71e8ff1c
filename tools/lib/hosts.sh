# The JavaScript hosts in which the module is tested, in addition to Debian's nodejs and chromium: Deno, Bun and workerd; Express and
# Fastify, which mount it; and playwright-core, which controls chromium. Pinned by tests/wasm/hosts/package-lock.json, in
# build/javascript-hosts. Sourced, never run.

prepare_hosts() {
  local folder=$checkout/build/javascript-hosts program found
  install_locked "$checkout/tests/wasm/hosts" "$folder" "Deno, Bun, workerd, Express, Fastify and playwright-core"
  # The programs are in packages for each platform. Install scripts, which do not run here, would have linked them.
  mkdir -p "$folder/bin"
  for program in @deno/linux-*-glibc/deno @oven/bun-linux-*/bin/bun @cloudflare/workerd-linux-*/bin/workerd; do
    found=$(runnable "$folder"/node_modules/$program) || die "${program##*/} does not run here"
    ln -sf "${found/#$folder/..}" "$folder/bin/${program##*/}"
  done
}

# runnable FILE...: prints the first one that runs on this machine.
runnable() {
  local file
  for file in "$@"; do
    [[ -x $file ]] || chmod +x "$file" 2>/dev/null || continue
    ! "$file" --version >/dev/null 2>&1 || { printf '%s\n' "$file" && return 0; }
  done
  return 1
}
