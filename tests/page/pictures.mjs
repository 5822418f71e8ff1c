// pictures.mjs FOLDER [NAME...]: pictures of every view, or of the named ones, at 1280, 640 and 320 pixels, light and dark, in both languages,
// and FOLDER/index.html, which shows them. Needs the environment of the tests; `tools/dev docs --pictures` runs it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { become, Browser, personaButton } from "./browser.mjs";
import { Portal } from "./portal.mjs";

const [folder, ...names] = process.argv.slice(2);
const widths = [1280, 640, 320];
const colorSchemes = ["light", "dark"];
const locales = ["en-GB", "fr-FR"];

const portal = new Portal();
const options = ["--page-deposit-url", "https://deposit.example/?bundle={bundle}&piece={piece}", "--page-contact", "fr=Une question ? Appelez votre conseiller au 01 02 03 04 05.",
  "--page-contact", "en=https://lender.example/contact"];
await portal.start([...portal.developmentFlags(), ...options]);
const plain = await new Portal().start([...portal.flagsWithoutPersonas(), ...options]);
const browser = await Browser.start();

// Waits until the persona's view has loaded.
async function view(page, persona, selector) {
  await become(page, persona);
  await page.locator(selector).first().waitFor();
}

const change = (page, code, name) =>
  page.locator("tr", { has: page.getByText(code, { exact: true }) }).getByRole("combobox").selectOption(name);

// Each view: its address, and how to reach it.
const views = {
  "sign-in": ["", (page) => personaButton(page, "client").waitFor()],
  "refused-token": [plain.url, async (page) => {
    await page.locator("textarea").fill(portal.expiredToken("client"));
    await page.locator("[type=submit]").click();
    await page.getByRole("alert").waitFor();
  }],
  "client": ["#/dossiers", (page) => view(page, "client", ".card")],
  "bundle": ["#/dossiers/L-2024-0003", (page) => view(page, "client", ".next-steps")],
  "complete-bundle": ["#/dossiers/L-2024-0001", (page) => view(page, "client", ".overview")],
  "unknown-bundle": ["#/dossiers/L-0000000000", (page) => view(page, "client", "[role=alert]")],
  "unknown-managed-bundle": ["#/dossiers/L-0000000000", (page) => view(page, "manager", "[role=alert]")],
  "unknown-page": ["#/ailleurs", (page) => view(page, "client", "[role=alert]")],
  "forbidden": ["#/tableau-de-bord", (page) => view(page, "client", "[role=alert]")],
  "dashboard": ["#/tableau-de-bord", (page) => view(page, "manager", "table.bundles:not(:has(+ [aria-busy]))")],
  "dashboard-charts": ["#/tableau-de-bord?document=rejete", async (page) => {
    await view(page, "manager", "table.bundles");
    await page.locator("summary").click();
  }],
  "managed-bundle": ["#/tableau-de-bord/L-2024-0003", (page) => view(page, "manager", ".pieces")],
  "document-types": ["#/documents", (page) => view(page, "administrator", ".mail-objects")],
  "conflict": ["#/documents", async (page) => {
    await view(page, "administrator", ".mail-objects");
    await page.route("**/objet-courrier/1", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), typeAffectation: "Rien" } });
    });
    await change(page, "CNI", "Optionnel");
    await page.locator(".decision button").first().click();
    await page.locator(".values").waitFor();
    await change(page, "PASSEPORT", "Obligatoire");
  }],
  "viewer": ["swagger/index.html", (page) => page.locator(".opblock").first().waitFor()],
};

mkdirSync(folder, { recursive: true });
const files = [];
try {
  for (const [name, [address, reach]] of Object.entries(views).filter(([name]) => names.length === 0 || names.includes(name))) {
    for (const locale of name === "viewer" ? ["en-GB"] : locales) {
      for (const colorScheme of colorSchemes) {
        const page = await browser.open(new URL(address, portal.url).href, { viewport: { width: widths[0], height: 900 }, locale, colorScheme });
        await reach(page);
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          if (name === "conflict") await page.locator(".values").scrollIntoViewIfNeeded();
          const file = `${name}-${locale.slice(0, 2)}-${colorScheme}-${width}.png`;
          await page.screenshot({ path: join(folder, file) });
          files.push(file);
        }
        await page.context().close();
      }
    }
  }
} finally {
  await browser.close();
  await portal.remove();
  await plain.remove();
}
const pictures = files.map((file) => `<figure><img src="${file}" alt="${file}" loading="lazy"><figcaption>${file}</figcaption></figure>`);
writeFileSync(join(folder, "index.html"), `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Every view of the portal's page</title>\n${pictures.join("\n")}\n`);
