// The portal behind Deno.serve, over a folder.
import { createPortail } from "portail";
import { folderStore } from "portail/folder";
import { withPage } from "portail/page";

const settings = Deno.env.toObject();
let portail;
try {
  portail = withPage(
    await createPortail({
      store: folderStore(settings.DATA ?? "data"),
      settings,
      trustForwarding: settings.PORTAIL_TRANSPORT === "forwarded",
    }),
  );
} catch (error) {
  console.error(error.message); // the folder holds no portal, or a setting is invalid
  Deno.exit(1);
}

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: Number(settings.PORT ?? "8480"),
  handler: portail.fetch,
  onListen: ({ port }) => console.log(`listening on http://127.0.0.1:${port}`),
});

// Completes pending requests for at most ten seconds. A request whose body has not arrived gets 400: Deno cancels the body.
async function stop() {
  portail.drain();
  setTimeout(Deno.exit, 10_000);
  await server.shutdown();
  Deno.exit();
}
Deno.addSignalListener("SIGTERM", stop);
Deno.addSignalListener("SIGINT", stop);
