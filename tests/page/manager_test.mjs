// The manager's section: the streamed dashboard, charts, filters, order, export; on a phone and a desktop, by mouse and by keyboard.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { assertAccessible, assertFits, become, isAt, sizes, tabTo } from "./browser.mjs";
import { sample } from "./portal.mjs";
import { setUp } from "./set_up.mjs";

const { browser, portal } = await setUp();

const rows = (page) => page.locator("table.bundles tbody tr:not(.gap)");
const status = (page) => page.locator(".found").getByRole("status");

async function openDashboard(options) {
  const page = await browser.open(portal.url, options);
  await become(page, "manager");
  await status(page).getByText("300 dossiers", { exact: true }).waitFor();
  return page;
}

for (const [size, viewport] of Object.entries(sizes)) {
  test(`a manager sees the bundles of their clients (${size})`, async () => {
    const page = await openDashboard({ viewport });
    assert.deepEqual(await page.getByRole("navigation").getByRole("link").allInnerTexts(), ["Mes dossiers", "Tableau de bord"]);
    assert.deepEqual(await page.locator(".figures dt").allInnerTexts(),
      ["Dossiers", "Complets", "Avancement moyen", "Nouveaux depuis votre dernière visite", "Avec un refus"]);
    assert.equal(await page.getByRole("table", { name: "Tableau de bord" }).getAttribute("aria-rowcount"), "301");
    assert.equal(await page.getByTitle("Nouveau depuis votre dernière visite", { exact: true }).first().innerText(), "Nouveau");
    assert.ok((await rows(page).count()) < 60, "only what the window shows is in the page");
    await assertFits(page);
    await assertAccessible(page);

    await page.getByLabel("Rechercher").fill("rachat durand chloe");
    await status(page).getByText("1 sur 300 dossiers", { exact: true }).waitFor();
    assert.match(await rows(page).innerText(), /Chloé Durand\s+T000001\s[\s\S]*Rachat de crédits\s+L-2024-0003 · P-1207/);
    await page.getByRole("link", { name: "Rachat de crédits" }).click();
    await page.getByRole("heading", { name: "Rachat de crédits", level: 1 }).waitFor();
    assert.equal(await page.getByText("Ce qu’il vous reste à faire").count(), 0, "that is the client's");
    await page.getByText("Chloé Durand (T000001)", { exact: true }).waitFor();
    await assertAccessible(page);
    assert.equal(await page.locator(".back a").innerText(), "← Tableau de bord");
    await page.getByRole("button", { name: "English" }).click();
    assert.equal(await page.locator(".back a").innerText(), "← Dashboard");
    await page.getByRole("button", { name: "Français" }).click();
    await page.locator(".back a").click();
    await status(page).getByText("1 sur 300 dossiers", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Effacer" }).click();
    await status(page).getByText("300 dossiers", { exact: true }).waitFor();
    assert.deepEqual(page.errors, []);
  });
}

test("filters are cleared at the end of the session", async () => {
  const page = await openDashboard();
  await page.getByLabel("Rechercher").fill("rachat durand chloe");
  await status(page).getByText("1 sur 300 dossiers", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await become(page, "manager");
  await status(page).getByText("300 dossiers", { exact: true }).waitFor();
  assert.equal(await page.getByLabel("Rechercher").inputValue(), "");
});

test("filters, search and order are in the address: reload, back and a shared link keep them", async () => {
  const page = await openDashboard();
  await page.getByLabel("Rechercher").fill("villeneuve");
  await page.getByLabel("Statut", { exact: true }).selectOption("En cours");
  await page.getByLabel("Trier par").selectOption("Client");
  const address = `${portal.url}#/tableau-de-bord?recherche=villeneuve&statut=en-cours&tri=client`;
  await isAt(page, address);
  const found = await status(page).innerText();
  assert.match(found, /^\d+ sur 300 dossiers$/);
  const isKept = async (other = page) => {
    await status(other).getByText(found, { exact: true }).waitFor();
    assert.deepEqual([await other.getByLabel("Rechercher").inputValue(), await other.getByLabel("Trier par").inputValue()], ["villeneuve", "name"]);
    assert.equal(other.url(), address);
  };
  await page.reload();
  await isKept();
  await rows(page).first().getByRole("link").click();
  await page.getByRole("heading", { name: "Documents", exact: true }).waitFor();
  await page.goBack();
  await isKept();
  await rows(page).first().getByRole("link").click();
  await page.locator(".back a").click();
  await isKept();
  await page.getByRole("link", { name: "Mes dossiers" }).click();
  await page.getByRole("heading", { name: "Mes dossiers" }).waitFor();
  await page.getByRole("link", { name: "Tableau de bord" }).click();
  await isKept();
  const shared = await browser.open(address);
  await become(shared, "manager");
  await isKept(shared);
});

test("the list is visible below the folded charts, and the browser keeps them open", async () => {
  const page = await openDashboard({ viewport: { width: 1280, height: 900 } });
  const { y, height } = await rows(page).nth(2).boundingBox();
  assert.ok(y + height <= 900, `the third row ends at ${y + height} px`);
  await page.getByText("Graphiques").click();
  const chart = page.getByRole("table", { name: "Dossiers par avancement" });
  await chart.waitFor();
  const { width } = await page.locator(".charts-panel summary").boundingBox();
  assert.ok(width < 150, `the arrow is beside its word: ${width} px`);
  const chevron = await page.locator(".charts-panel summary").evaluate((summary) => getComputedStyle(summary, "::after").transform);
  assert.equal(chevron, "matrix(1, 0, 0, 1, 0, 0)", "it points down from the moment the charts are open");
  await page.getByLabel("Statut d’un document").selectOption("Refusé");
  const zero = chart.getByRole("row", { name: "100 %" }).locator("td");
  assert.equal(await zero.innerText(), "0");
  assert.deepEqual(await zero.evaluate((cell) => [getComputedStyle(cell).backgroundColor, cell.offsetWidth]), ["rgba(0, 0, 0, 0)", 0], "no sliver");
  await page.reload();
  await chart.waitFor();
});

test("a select shows each of its options whole", async () => {
  for (const [locale, expected] of [["fr-FR", "Moins avancés"], ["en-GB", "Least complete"]]) {
    const page = await browser.open(`${portal.url}#/tableau-de-bord?statut=en-cours&tri=moins-avances`, { locale });
    await become(page, "manager");
    await rows(page).first().waitFor();
    assert.equal(await page.locator(".filters select").last().evaluate((select) => select.selectedOptions[0].text), expected);
    for (const width of [1280, 1100, 640, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const cut = await page.locator(".filters select").evaluateAll((selects) => selects.flatMap((select) => {
        const { font, paddingLeft, paddingRight } = getComputedStyle(select);
        const room = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        const drawing = document.createElement("canvas").getContext("2d");
        drawing.font = font;
        return [...select.options].map(({ text }) => text).filter((text) => drawing.measureText(text).width > room + 1);
      }));
      assert.deepEqual(cut, [], String(width));
      await assertFits(page);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const bottoms = await page.locator(".filters .field").evaluateAll((fields) => fields.map((field) => Math.round(field.getBoundingClientRect().bottom)));
    assert.equal(new Set(bottoms).size, 1, `one row: ${bottoms}`);
  }
});

test("all rows are printed, in light colours and without controls", async () => {
  const page = await openDashboard({ colorScheme: "dark" });
  await page.evaluate(() => {
    window.print = () => (window.printed = document.querySelectorAll("table.bundles tbody tr").length);
  });
  await page.getByRole("button", { name: "Imprimer" }).click();
  await page.waitForFunction(() => window.printed === 300);
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  for (const selector of ["header.top", ".filters", ".exports"]) assert.equal(await page.locator(selector).isVisible(), false, selector);
  assert.equal(await page.getByRole("columnheader", { name: "Client" }).isVisible(), true);
  await page.setViewportSize({ width: 760, height: 1000 }); // of an A4 page
  assert.equal(await rows(page).first().evaluate((row) => getComputedStyle(row).display), "table-row", "not the cards of a phone");
  const headers = page.locator("table.bundles thead th");
  await page.setViewportSize({ width: 717, height: 1000 }); // with the margins of a browser
  assert.deepEqual(await headers.evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.innerText)), []);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.waitForFunction(() => document.querySelectorAll("table.bundles tbody tr").length < 60);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint"))); // the browser's own command
  await page.waitForFunction(() => document.querySelectorAll("table.bundles tbody tr").length === 300);
});

// Runs in the page: returns the row in the middle of the window.
const rowInTheMiddle = () => document.elementFromPoint(innerWidth / 2, innerHeight / 2).closest("tr:not(.gap)")?.ariaRowIndex;

// Runs in the page: sets `window.pressed` to the row of the next link that is clicked, and the link's position in the window.
const notePresses = () =>
  addEventListener(
    "click",
    ({ target }) => {
      const row = target.closest("tr")?.ariaRowIndex;
      if (row) window.pressed = { row, y: target.getBoundingClientRect().y };
    },
    { capture: true },
  );

// Runs in the page: whether the dashboard was loaded completely that many times.
const hasRead = (times) => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/dashboard-list")).length === times;

// Runs in the page; tolerates two pixels.
const isWherePressed = () => {
  const link = document.querySelector(`tr[aria-rowindex="${window.pressed.row}"] a`);
  return link !== null && Math.abs(link.getBoundingClientRect().y - window.pressed.y) < 2;
};

for (const [size, viewport] of Object.entries(sizes)) {
  test(`the scroll position is restored after a visit to a bundle (${size})`, async () => {
    const page = await openDashboard({ viewport });
    await page.evaluate(notePresses);
    await page.evaluate(() => scrollTo(0, 9000));
    const index = await (await page.waitForFunction(rowInTheMiddle)).jsonValue();
    await page.locator(`tr[aria-rowindex="${index}"]`).getByRole("link").click();
    await page.getByRole("heading", { name: "Documents", exact: true }).waitFor();
    assert.equal(await page.evaluate(() => window.pressed.row), index);
    await page.locator(".back a").click();
    await page.waitForFunction(hasRead, 2);
    await status(page).getByText("300 dossiers", { exact: true }).waitFor();
    await page.waitForFunction(isWherePressed);
  });
}

test("filters and charts are consistent", async () => {
  const page = await openDashboard();
  const managed = JSON.parse(await (await fetchAs("manager", "api/app/liasse/dashboard-list")).text());
  const found = async (expected) => {
    await status(page).getByText(expected === 300 ? "300 dossiers" : `${expected} sur 300 dossiers`, { exact: true }).waitFor();
  };
  const complete = managed.filter(({ statut }) => statut === "Complet").length;
  await page.getByLabel("Statut", { exact: true }).selectOption("Complet");
  await found(complete);
  await page.getByLabel("Statut", { exact: true }).selectOption("Tous");
  await page.getByText("Graphiques").click();
  await page.getByRole("table", { name: "Dossiers par avancement" }).getByRole("button", { name: "100 %" }).click();
  await found(complete);
  assert.equal(await page.getByLabel("Avancement", { exact: true }).inputValue(), "5");
  await page.getByRole("button", { name: "Effacer" }).click();
  const derogated = managed.filter(({ piecesAttendues }) => piecesAttendues.some(({ statut }) => /^d[eé]rog[eé]e?$/i.test(statut.normalize())));
  await page.getByRole("table", { name: "Documents par statut" }).getByRole("button", { name: "Non exigé" }).click();
  await found(derogated.length);
  assert.equal(await page.getByLabel("Statut d’un document").inputValue(), "derogated");
  await page.getByRole("button", { name: "Effacer" }).click();
  await page.getByLabel("Seulement les nouveaux depuis votre dernière visite").check();
  await found(managed.filter((bundle) => bundle.deposeeDepuisDerniereConsultation).length);
});

test("active filters are named above the figures, and what the charts count", async () => {
  const page = await openDashboard();
  const note = page.locator(".title p");
  assert.equal(await note.count(), 0);
  await page.getByText("Graphiques").click();
  await page.getByLabel("Statut d’un document").selectOption("Refusé");
  await note.waitFor();
  assert.equal(await note.innerText(), "45 sur 300 dossiers · Statut d’un document\u00a0: Refusé\nEffacer");
  const [above, below] = [await note.boundingBox(), await page.locator(".figures").boundingBox()];
  assert.ok(above.y + above.height <= below.y);
  const chart = page.locator(".chart", { hasText: "Documents par statut" });
  assert.equal(await chart.locator("p").innerText(), "Tous les documents de ces dossiers");
  assert.equal(await page.locator(".chart", { hasText: "Dossiers par avancement" }).locator("p").count(), 0);
  const label = chart.getByRole("button", { name: "Accepté" });
  assert.equal(await label.evaluate((element) => getComputedStyle(element).textDecorationLine), "underline");
  await assertAccessible(page);
  await page.getByLabel("Rechercher").fill("rachat durand chloe");
  await page.getByLabel("Statut", { exact: true }).selectOption("En cours");
  await page.getByLabel("Avancement", { exact: true }).selectOption("1–25 %");
  await page.getByLabel("Seulement les nouveaux depuis votre dernière visite").check();
  assert.match(await note.innerText(), /^\d+ sur 300 dossiers? · Rechercher\s: rachat durand chloe · Statut\s: En cours · Avancement\s: 1–25\s% · Statut d’un document\s: Refusé · Seulement les nouveaux depuis votre dernière visite\nEffacer$/);
  await page.setViewportSize({ width: 320, height: 800 });
  await assertFits(page);
  await page.getByRole("button", { name: "English" }).click();
  assert.match(await note.innerText(), /^\d+ of 300 files? · Search: rachat durand chloe · Status: In progress · Completion: 1–25% · Document status: Rejected · Only new since your last visit\nClear$/);
  await note.getByRole("button", { name: "Clear" }).click();
  await note.waitFor({ state: "detached" });
  await status(page).getByText("300 files", { exact: true }).waitFor();
});

test("the card, the filter, the chart and the rows count the same rejections", async () => {
  const page = await openDashboard();
  const card = () => page.locator(".figures div", { hasText: "Avec un refus" }).locator("dd").innerText();
  assert.equal(await card(), "45");
  await page.getByLabel("Statut d’un document").selectOption("Refusé");
  await status(page).getByText("45 sur 300 dossiers", { exact: true }).waitFor();
  assert.equal(await card(), "45");
  await page.getByText("Graphiques").click();
  const bar = await page.getByRole("table", { name: "Documents par statut" }).getByRole("row", { name: "Refusé" }).locator(".data").innerText();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint"))); // all rows
  await page.waitForFunction(() => document.querySelectorAll("table.bundles tbody tr").length === 45);
  assert.equal(String(await page.locator("table.bundles .reason > *").count()), bar);
  assert.equal(await page.locator("table.bundles .reason:empty").count(), 0);
  const second = page.locator("table.bundles .reason > * + *").first();
  assert.equal(await second.evaluate((item) => getComputedStyle(item).borderTopStyle), "solid", "reasons are separated");
  await page.goto(`${portal.url}#/tableau-de-bord/L-2024-0003`);
  await page.locator(".pieces").first().waitFor();
  assert.deepEqual(await page.locator(".group h3").allInnerTexts(), ["Attendu\n1", "Refusé\n2", "Accepté\n1"]);
  assert.equal(await page.locator("main p.lead").innerText(), "Le client a 3 documents à envoyer. Cette vue montre le dossier sans rien y changer.");
});

test("the default order is oldest first", async () => {
  const page = await openDashboard();
  const managed = JSON.parse(await (await fetchAs("manager", "api/app/liasse/dashboard-list")).text());
  const byAge = managed.toSorted((a, b) => Date.parse(a.creationDate) - Date.parse(b.creationDate) || (a.id < b.id ? -1 : 1));
  const first = async () => (await rows(page).first().locator(".name small").innerText()).split(" · ")[0];
  assert.equal(await first(), byAge[0].id);
  const created = page.getByRole("columnheader", { name: "Créé le" });
  assert.equal(await created.getAttribute("aria-sort"), "ascending");
  const look = (element) => (({ color, fontSize, fontWeight, textDecorationLine }) => [color, fontSize, fontWeight, textDecorationLine])(getComputedStyle(element));
  assert.deepEqual(await created.getByRole("button").evaluate(look), await page.getByRole("columnheader", { name: "Statut" }).evaluate(look));
  await created.getByRole("button").click();
  assert.equal(await created.getAttribute("aria-sort"), "descending");
  assert.equal(await first(), byAge.at(-1).id);
  await page.getByLabel("Trier par").selectOption("Moins avancés");
  assert.equal(await rows(page).first().getByRole("progressbar").getAttribute("value"), "0");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.locator('tr[aria-rowindex="301"]').waitFor();
  assert.equal(await rows(page).last().getByRole("progressbar").getAttribute("value"), "100");
});

test("the export has what is filtered, and no formula", async () => {
  const document = JSON.parse(await readFile(sample, "utf8"));
  const bundle = document.liasses.find(({ id }) => id === "L-2024-0002");
  bundle.nomDossier = '=HYPERLINK("https://elsewhere.test")';
  await writeFile(portal.path("formula.json"), JSON.stringify({ liasses: [bundle] }));
  portal.import(portal.path("formula.json"));
  const page = await openDashboard();
  await page.getByLabel("Rechercher").fill("elsewhere");
  await status(page).getByText("1 sur 300 dossiers", { exact: true }).waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Exporter pour un tableur (CSV)" }).click()]);
  assert.equal(download.suggestedFilename(), "dossiers.csv");
  const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
  assert.equal(lines[0], "\ufeffRéférence;Dossier;Créé le;Numéro de client;Nom;Prénom;Prêt;Montant (EUR);Prêt mis en place;Statut;Avancement (%);Nouveau depuis votre dernière visite;Refus");
  assert.equal(lines[1], `L-2024-0002;"'=HYPERLINK(""https://elsewhere.test"")";21/05/2024;T000001;Durand;Chloé;P-1042;23500,5;Non;En cours;67;Oui;`);
  assert.deepEqual(lines.slice(2), [""]);
  const [raw] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Valeurs brutes pour les programmes (CSV)" }).click()]);
  assert.equal(raw.suggestedFilename(), "liasses.csv");
  const [head, values] = (await readFile(await raw.path(), "utf8")).split("\r\n");
  assert.equal(head.split(",").slice(0, 3).join(), "id,nomDossier,creationDate");
  assert.equal(values, `L-2024-0002,"'=HYPERLINK(""https://elsewhere.test"")",2024-05-21T14:05:09.1234567+02:00,T000001,Durand,Chloé,P-1042,` +
    "23500.5,false,En cours,66.66666666666667,true,");
});

test("by keyboard alone, in English", async () => {
  const page = await browser.open(portal.url, { locale: "en-GB" });
  await page.getByRole("heading", { name: "Welcome to your portal" }).waitFor();
  await tabTo(page, "manager");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();
  await status(page).getByText("300 files", { exact: true }).waitFor();
  await tabTo(page, "Charts");
  await page.keyboard.press("Enter");
  await tabTo(page, "76–99%");
  await page.keyboard.press("Enter");
  await page.locator("tr.chosen").waitFor();
  await tabTo(page, "Search");
  await page.keyboard.type("no such thing");
  await page.getByText("No file matches these filters.").waitFor();
  await assertAccessible(page);
  await tabTo(page, "Clear");
  await page.keyboard.press("Enter");
  await status(page).getByText("300 files", { exact: true }).waitFor();
  await tabTo(page, "Client");
  await page.keyboard.press("Enter");
  assert.equal(await page.getByRole("columnheader", { name: "Client" }).getAttribute("aria-sort"), "ascending");
  await tabTo(page, await rows(page).first().locator("a").innerText());
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Documents", exact: true }).waitFor();
});

test("a manager who opens a client's address of an unknown file is sent to the dashboard", async () => {
  const page = await browser.open("about:blank");
  await page.route("**/page/settings.json", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), contacts: { fr: "Au 01 02 03 04 05" } } });
  });
  await page.goto(`${portal.url}#/dossiers/L-0000000000`);
  await become(page, "manager");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  await isAt(page, `${portal.url}#/tableau-de-bord/L-0000000000`);
  assert.equal(await alert.innerText(),
    "Le dossier L-0000000000 n’existe pas, ou ne fait pas partie de ceux que vous gérez.\n\nVérifiez l’adresse, ou choisissez un dossier du tableau de bord.");
  await page.getByRole("heading", { name: "Dossier introuvable", level: 1 }).waitFor();
  assert.equal(await page.getByText("Au 01 02 03 04 05").count(), 0, "that is for clients");
  await assertAccessible(page);
  assert.deepEqual(await page.locator("main").getByRole("link").allInnerTexts(), ["Voir le tableau de bord"]);
  await page.getByRole("link", { name: "Voir le tableau de bord" }).click();
  await status(page).getByText("300 dossiers", { exact: true }).waitFor();
});

test("a refused dashboard shows what to do next, and no further attempt", async () => {
  const page = await browser.open(`${portal.url}#/tableau-de-bord`);
  await become(page, "client");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.equal(await alert.innerText(), "Vous n’avez pas accès à cette page.\n\nVotre compte n’en a pas la permission. Si vous en avez besoin, " +
    "demandez-la à votre établissement prêteur.");
  assert.equal(await page.getByRole("button", { name: "Réessayer maintenant" }).count(), 0);
  await assertAccessible(page);
  assert.deepEqual(await page.locator("main").getByRole("link").allInnerTexts(), ["Voir mes dossiers"]);
  await page.getByRole("link", { name: "Voir mes dossiers" }).click();
  await page.locator(".card").first().waitFor();
});

async function fetchAs(persona, path) {
  const page = await browser.open("about:blank");
  const answer = await page.context().request.get(portal.url + path, { headers: { Authorization: `Bearer ${portal.token(persona)}` } });
  assert.equal(answer.status(), 200);
  return answer;
}
