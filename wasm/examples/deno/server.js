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
  console.error(error.message); // no portal in that folder, a setting that makes no sense
  Deno.exit(1);
}

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: Number(settings.PORT ?? "8480"),
  handler: portail.fetch,
  onListen: ({ port }) => console.log(`listening on http://127.0.0.1:${port}`),
});

// Answers what is under way, by 503 where the body is not here yet: Deno takes it away. Waits for ten seconds at most.
async function stop() {
  portail.drain();
  setTimeout(Deno.exit, 10_000);
  await server.shutdown();
  Deno.exit();
}
Deno.addSignalListener("SIGTERM", stop);
Deno.addSignalListener("SIGINT", stop);
