// The portal over a folder, with its page, below /portail of another program.
import { createPortail } from "portail";
import { folderStore } from "portail/folder";
import { withPage } from "portail/page";

const basePath = "/portail";
const api = await createPortail({ store: folderStore(process.env.DATA ?? "data"), settings: process.env, basePath });
export const portail = withPage(api, { basePath });

/** For a server of node:http. */
export function logAddress(server) {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
}
export const port = Number(process.env.PORT ?? 8480);
