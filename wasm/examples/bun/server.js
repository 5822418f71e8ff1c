// The portal behind Bun.serve, over a folder.
import { createPortail } from "portail";
import { folderStore } from "portail/folder";

const { PORT = "8480", DATA = "data", PORTAIL_TRANSPORT } = process.env;
const portail = await createPortail({
  store: folderStore(DATA),
  settings: process.env,
  trustForwarding: PORTAIL_TRANSPORT === "forwarded",
});

const server = Bun.serve({ hostname: "127.0.0.1", port: Number(PORT), fetch: portail.fetch, development: false });
console.log(`listening on http://127.0.0.1:${server.port}`);

process.once("SIGTERM", async () => {
  portail.drain();
  await server.stop();
  process.exit();
});
