// The portal in Bun, over a folder. Bun has Node's http server too, whose requests are as they were received; those of
// Bun.serve({ fetch: portail.fetch }) come with "." and ".." resolved already.
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
  console.error(error.message); // no portal in that folder, a setting that makes no sense
  process.exit(1);
}

const server = attach(createServer(), portail);
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));

// Answers what is under way; who does not go on is waited for ten seconds.
function stop() {
  portail.drain();
  server.close(() => process.exit());
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), 10_000).unref();
}
process.once("SIGTERM", stop).once("SIGINT", stop);
