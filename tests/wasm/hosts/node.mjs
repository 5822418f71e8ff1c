// Node as a host of the contract suite; tests/wasm/run_contract.py describes its input and output.
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { createPortail } from "portail";
import { readJsonLines } from "portail/json-lines";
import { mapStore } from "portail/map";
import { attach } from "portail/node-http";

const lines = createInterface({ input: process.stdin });
const [line] = await new Promise((resolve) => lines.once("line", (...read) => resolve(read)));
const map = new Map();

const portals = {};
for (const [name, { settings, trustForwarding, tls }] of Object.entries(JSON.parse(line).portals)) {
  const portail = await createPortail({ store: mapStore(map), settings, trustForwarding, log: () => {} });
  const server = tls
    ? createSecureServer({ cert: readFileSync(tls.certificate), key: readFileSync(tls.key) })
    : createServer();
  portals[name] = await address(attach(server, portail), tls ? "https" : "http");
}
const values = await address(createServer(serveValues), "http");
console.log(JSON.stringify({ portals, values }));
lines.once("close", () => process.exit(0));

async function address(server, scheme) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `${scheme}://127.0.0.1:${server.address().port}`;
}

async function serveValues(request, response) {
  if (request.method === "PUT") {
    const entries = [...readJsonLines(await text(request))];
    map.clear();
    for (const { key, value } of entries) map.set(key, value);
  } else {
    for (const [key, value] of map) {
      response.write(`${JSON.stringify({ key, value: Buffer.from(value).toString("base64") })}\n`);
    }
  }
  response.end();
}
