// The portal behind Deno.serve, over a folder.
import { createPortail } from "portail";
import { folderStore } from "portail/folder";

const settings = Deno.env.toObject();
const portail = await createPortail({
  store: folderStore(settings.DATA ?? "data"),
  settings,
  trustForwarding: settings.PORTAIL_TRANSPORT === "forwarded",
});

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: Number(settings.PORT ?? "8480"),
  handler: portail.fetch,
  onListen: ({ port }) => console.log(`listening on http://127.0.0.1:${port}`),
});

Deno.addSignalListener("SIGTERM", async () => {
  portail.drain();
  await server.shutdown();
  Deno.exit();
});
