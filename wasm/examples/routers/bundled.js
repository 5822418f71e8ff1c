// For a bundler that includes the module in its output file: esbuild with --loader:.wasm=binary.
import { createServer } from "node:http";
import { folderStore } from "portail/folder";
import { creator } from "portail/module";
import { attach } from "portail/node-http";
import bytes from "portail/portail.wasm";

const createPortail = creator(() => WebAssembly.compile(bytes));
const portail = await createPortail({
  store: folderStore(process.env.DATA ?? "data"),
  settings: process.env,
  basePath: "/portail",
});
const server = attach(createServer(), portail);
server.listen(Number(process.env.PORT ?? 8480), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
