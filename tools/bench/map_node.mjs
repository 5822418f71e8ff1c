// The portal behind Node's http server, with a Map as its store: like wasm/examples/node, but with the values of the file DATA,
// an export by `portail export --format json-lines`.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createPortail } from "portail";
import { readJsonLines } from "portail/json-lines";
import { mapStore } from "portail/map";
import { attach } from "portail/node-http";

const map = new Map();
for (const { key, value } of readJsonLines(readFileSync(process.env.DATA, "utf8"))) map.set(key, value);
const server = attach(createServer(), await createPortail({ store: mapStore(map), settings: process.env }));
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
