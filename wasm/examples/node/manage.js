// The management interface of the portal that server.js serves, over the same folder: for operators, not for the internet.
import { createServer } from "node:http";
import { folderStore } from "portail/folder";
import { createManagement } from "portail/management";
import { attach } from "portail/node-http";

const { PORT = "8481", DATA = "data", PORTAIL_TRANSPORT } = process.env;
let management;
try {
  management = await createManagement({
    store: folderStore(DATA, { create: true }), // an import fills it
    settings: process.env,
    trustForwarding: PORTAIL_TRANSPORT === "forwarded",
  });
} catch (error) {
  console.error(error.message); // a setting is invalid
  process.exit(1);
}

const server = attach(createServer(), management);
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));

// Completes pending requests: an import that is interrupted must be repeated.
function stop() {
  server.close(() => management.dispose());
  server.closeIdleConnections();
}
process.once("SIGTERM", stop).once("SIGINT", stop);
