// serve.mjs FOLDER STORE [PORT]: the component that transpile.mjs left in FOLDER, served by preview2-shim on loopback, on a free port
// unless one is given. It sees the folder STORE as /data, and of this process' environment what begins with PORTAIL_.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, store, port = "0"] = process.argv.slice(2);
const installed = createRequire(pathToFileURL(join(folder, "node_modules/")));
const shim = (part) => import(pathToFileURL(installed.resolve(`@bytecodealliance/preview2-shim/${part}`)));

const [cli, filesystem, http] = await Promise.all(["cli", "filesystem", "http"].map(shim));
cli._setEnv(Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("PORTAIL_"))));
filesystem._setPreopens({ "/data": store });
const { incomingHandler } = await import(pathToFileURL(join(folder, "component/portail.js")));
const server = new http.HTTPServer(incomingHandler);
server.listen(Number(port), "127.0.0.1");
console.log(`listening on http://127.0.0.1:${server.address().port}`);
