// Makes dist/: each entry is one file that holds what it uses, as package.json exports it, as readable as its source: a stack trace
// leads to lines that say something. tsc makes the types.
import { build } from "esbuild";

await build({
  entryPoints: ["src/entries/*.ts", "src/stores/*.ts", "src/conformance.ts", "src/json_lines.ts", "src/node_http.ts", "src/express.ts", "src/fastify.ts", "src/page.ts"],
  outdir: "dist",
  bundle: true,
  format: "esm",
  target: "es2022",
  external: ["node:*", "*.wasm"],
  logLevel: "warning",
});
