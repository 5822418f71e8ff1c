// The portal in Bun, over a folder, by Node's http server, whose requests have the target as received. Bun.serve({ fetch: portail.fetch })
// resolves "." and ".." before.
import { createServer } from "node:http";
import { createPortail } from "portail";
import { folderStore } from "portail/folder";
import { attach } from "portail/node-http";
import { withPage } from "portail/page";

const { PORT = "8480", DATA = "data", PORTAIL_TRANSPORT } = process.env;
let portail;
try {
  portail = withPage(
    await createPortail({
      store: folderStore(DATA),
      settings: process.env,
      trustForwarding: PORTAIL_TRANSPORT === "forwarded",
    }),
  );
} catch (error) {
  console.error(error.message); // the folder holds no portal, or a setting is invalid
  process.exit(1);
}

const server = attach(createServer(), portail);
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));

// Completes pending requests for at most ten seconds, then closes the remaining connections.
function stop() {
  portail.drain();
  server.close(() => process.exit());
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), 10_000).unref();
}
process.once("SIGTERM", stop).once("SIGINT", stop);
