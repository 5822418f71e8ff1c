// The identity provider of the page's tests (tests/provider). TEST_PROVIDER is its directory.
import { join } from "node:path";
import { tree } from "./portal.mjs";
import { start } from "../support/started.mjs";

/** Starts a provider with the files provider.pem and provider.key of the portal. Returns its process and its issuer. */
export async function startProvider(portal) {
  const [started, found] = await start("node", [join(tree, "tests/provider/provider.mjs"), "--modules", process.env.TEST_PROVIDER,
    "--certificate", portal.path("provider.pem"), "--key", portal.path("provider.key"), "--page", portal.url], /^provider: (\S+)$/);
  return [started, found[1]];
}

/** Signs in at the provider's own pages. */
export async function signInAt(page, person) {
  await page.locator("[name=login]").fill(person);
  await page.locator("[name=password]").fill("any");
  await page.locator("[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}
