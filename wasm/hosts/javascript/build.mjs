// Builds dist/: each entry point of package.json is one file with its dependencies, not minified, so that stack traces are readable. tsc
// generates the types.
import { build } from "esbuild";

await build({
  entryPoints: ["src/entries/*.ts", "src/stores/*.ts", "src/conformance.ts", "src/json_lines.ts", "src/node_http.ts", "src/express.ts", "src/fastify.ts", "src/page.ts", "src/development.ts"],
  outdir: "dist",
  bundle: true,
  format: "esm",
  target: "es2022",
  external: ["node:*", "*.wasm"],
  loader: { ".jsonl": "text" },
  logLevel: "warning",
});
