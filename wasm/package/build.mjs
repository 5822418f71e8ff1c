// Makes dist/: each entry is one file that holds what it uses, as package.json exports it. tsc makes the types.
import { build } from "esbuild";

await build({
  entryPoints: ["src/entries/*.ts", "src/stores/*.ts", "src/conformance.ts", "src/json_lines.ts", "src/node_http.ts"],
  outdir: "dist",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  external: ["node:*", "*.wasm"],
  logLevel: "warning",
});
