// screenshots.mjs FOLDER: writes the screenshots of docs/how-to/serve-the-page.md. Needs the environment of the tests.
import { join } from "node:path";
import { become, Browser, desktop, phone } from "./browser.mjs";
import { Portal } from "./portal.mjs";

const folder = process.argv[2];
const portal = new Portal();
await portal.start([...portal.developmentFlags(), "--page-deposit-url", "https://deposit.example/?bundle={bundle}&piece={piece}"]);
const browser = await Browser.start();
try {
  const client = await browser.open(portal.url, { viewport: { ...desktop, height: 720 }, locale: "en-GB" });
  await become(client, "client");
  await client.locator(".card").nth(5).waitFor();
  await client.screenshot({ path: join(folder, "portal-client.png") });

  const bundle = await browser.open(`${portal.url}#/dossiers/L-2024-0003`, { viewport: phone });
  await become(bundle, "client");
  await bundle.locator(".pieces").first().waitFor();
  await bundle.screenshot({ path: join(folder, "portal-phone.png") });

  const dashboard = await browser.open(portal.url, { viewport: { ...desktop, height: 960 }, locale: "en-GB" });
  await become(dashboard, "manager");
  await dashboard.getByText("300 files", { exact: true }).waitFor();
  await dashboard.getByText("Charts").click();
  await dashboard.screenshot({ path: join(folder, "portal-dashboard.png") });

  const objects = await browser.open(portal.url, { viewport: { ...desktop, height: 640 }, locale: "en-GB", colorScheme: "dark" });
  await become(objects, "administrator");
  const row = (code) => objects.locator("tr", { has: objects.getByText(code, { exact: true }) });
  await row("ATTESTATION_HONNEUR").getByRole("combobox").selectOption("Obligatoire");
  await row("ATTESTATION_EMPLOYEUR").getByRole("switch").uncheck();
  await row("ATTESTATION_EMPLOYEUR").getByRole("button", { name: "Save" }).click();
  await objects.getByText("✓ Saved").waitFor();
  await objects.screenshot({ path: join(folder, "portal-administrator.png") });
} finally {
  await browser.close();
  await portal.remove();
}
