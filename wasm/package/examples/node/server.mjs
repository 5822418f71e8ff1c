// The portal on http://127.0.0.1:8480, over the values of a file that `portail export --format json-lines` wrote. The
// settings are variables of the environment. Changes live as long as the process.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createPortail } from "portail";
import { readJsonLines } from "portail/json-lines";
import { mapStore } from "portail/map";
import { attach } from "portail/node-http";

const values = new Map();
for (const { key, value } of readJsonLines(readFileSync(process.argv[2], "utf8"))) values.set(key, value);

const portail = await createPortail({ store: mapStore(values), settings: process.env });
attach(createServer(), portail).listen(8480, "127.0.0.1", () => console.log("listening on http://127.0.0.1:8480"));
