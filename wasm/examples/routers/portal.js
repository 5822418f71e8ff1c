// The portal over a folder, with its page.
import { createPortail } from "portail";
import { folderStore } from "portail/folder";
import { withPage } from "portail/page";

/** `basePath` is for routers that do not pass their own path. */
export const create = async (basePath) =>
  withPage(await createPortail({ store: folderStore(process.env.DATA ?? "data"), settings: process.env, basePath }));

/** For a server of node:http. */
export function logAddress(server) {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
}
export const port = Number(process.env.PORT ?? 8480);
