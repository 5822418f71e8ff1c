// first_visit.mjs ADDRESS: the first steps of a user in a browser. tests/documents runs it for the page "Your first portal".
import assert from "node:assert/strict";
import { assertAccessible, become, Browser } from "./browser.mjs";

const [address] = process.argv.slice(2);
const browser = await Browser.start();
try {
  const page = await browser.open(address);
  for (const persona of ["client", "manager", "administrator"]) await page.locator(`button[value="${persona}"]`).waitFor();
  await become(page, "manager");
  await page.getByRole("heading", { name: "Tableau de bord" }).waitFor();
  await page.locator(".found").getByText("300 dossiers", { exact: true }).waitFor();
  await assertAccessible(page);
  assert.deepEqual(page.errors, []);
} finally {
  await browser.close();
}
