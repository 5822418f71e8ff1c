// serve.mjs FOLDER STORE [PORT]: serves the component that transpile.mjs wrote into FOLDER, by preview2-shim on loopback. Default of PORT
// is a free port. The component has the folder STORE as /data, and the variables PORTAIL_* of this process.
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
