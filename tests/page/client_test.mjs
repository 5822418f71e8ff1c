// The client's section: the list, one bundle, next steps, a template file; on a phone and a desktop, by mouse and by keyboard.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assertAccessible, assertFits, become, isAt, sizes, tabTo } from "./browser.mjs";
import { Portal } from "./portal.mjs";
import { setUp } from "./set_up.mjs";

const { browser, portal } = await setUp();

for (const [size, viewport] of Object.entries(sizes)) {
  test(`a client sees their bundles (${size})`, async () => {
    const page = await browser.open(portal.url, { viewport });
    await become(page, "client");
    await page.getByRole("heading", { name: "Mes dossiers", level: 1 }).waitFor();
    await page.locator(".card").nth(5).waitFor();
    const names = await page.locator(".card h2").allInnerTexts();
    assert.deepEqual(names, ["Rachat de crédits", "Prêt travaux – isolation des combles", "Prêt relais – Le Tampon", "Crédit auto – véhicule électrique",
      "Prêt étudiant", "Prêt immobilier – résidence principale"]);
    assert.match(await page.locator(".summary").innerText(), /^6 dossiers · \d complets? · \d dossiers? nouveaux? depuis votre dernière visite · 4 documents à envoyer$/);
    const facts = (name) => page.locator(".card", { hasText: name }).locator(".facts").first().innerText();
    assert.equal(await facts("Rachat de crédits"), "Chloé Durand · Prêt P-1207 · Créé le 2 sept. 2024");
    assert.equal(await facts("Prêt relais – Le Tampon"), "Jérémie Durand · Prêt P-1598 · Créé le 11 juin 2025");
    const link = page.locator(".card h2 a").first();
    assert.equal(await link.evaluate((element) => getComputedStyle(element).textDecorationLine), "underline");
    assert.equal(await page.getByRole("progressbar", { name: "Avancement de Prêt travaux – isolation des combles" }).getAttribute("value"),
      "66.66666666666667");
    assert.match(await page.locator(".card", { hasText: "Prêt travaux" }).innerText(), /67\s%\s+2 documents acceptés sur 3\s+À envoyer\s: Diagnostic/);
    const steps = page.locator(".card", { hasText: "Rachat de crédits" }).locator(".steps li");
    assert.deepEqual(await steps.allInnerTexts(), ["À renvoyer\u00a0: Carte nationale d'identité, recto et verso",
      "À renvoyer\u00a0: Attestation sur l'honneur de charges et de ressources", "et 1 autre à envoyer"]);
    assert.equal(await steps.locator("*").count(), 0, "text, nothing to click");
    await page.getByRole("button", { name: "English" }).click();
    assert.deepEqual(await steps.allInnerTexts(), ["To send again: Carte nationale d'identité, recto et verso",
      "To send again: Attestation sur l'honneur de charges et de ressources", "and 1 more to send"]);
    await page.getByRole("button", { name: "Français" }).click();
    assert.equal(await page.getByRole("navigation").count(), 0, "there is one section only");
    await assertFits(page);
    await assertAccessible(page);

    await page.getByRole("link", { name: "Rachat de crédits" }).click();
    await page.getByRole("heading", { name: "Ce qu’il vous reste à faire" }).waitFor();
    const toDo = await page.locator(".next-steps li").allInnerTexts();
    assert.deepEqual(toDo.map((step) => step.split("\n")[0]), ["À renvoyer Carte nationale d'identité, recto et verso CNI",
      "À renvoyer Attestation sur l'honneur de charges et de ressources ATTESTATION_HONNEUR", "À envoyer Mandat de prélèvement SEPA signé MANDAT_SEPA"]);
    assert.match(toDo[1], /\nSignature absente ; page 2 manquante\n/);
    await page.getByRole("heading", { name: "Autres documents" }).waitFor();
    assert.deepEqual(await page.locator(".group h3").allInnerTexts(), ["Accepté\n1"], "what is to be done is not repeated");
    assert.equal(await page.locator(".pieces").innerText(), "Tableau d'amortissement des prêts en cours TABLEAU_AMORTISSEMENT");
    assert.match(await page.locator("dl").innerText(), /Montant\s87\s250,00\s€/);
    await assertFits(page);
    await assertAccessible(page);
    assert.deepEqual(page.errors, []);
  });
}

test("a card names no person if all files are of one", async () => {
  const page = await browser.open(portal.url);
  await page.route("**/api/app/liasse", async (route) => {
    const response = await route.fetch();
    const own = (await response.json()).filter(({ numeroTiers }) => numeroTiers === "T000001");
    await route.fulfill({ status: 200, json: own });
  });
  await become(page, "client");
  await page.locator(".card").first().waitFor();
  assert.deepEqual(await page.locator(".card").evaluateAll((cards) => cards.map((card) => card.querySelector(".facts").innerText)), [
    "Prêt P-1207 · Créé le 2 sept. 2024", "Prêt P-1042 · Créé le 21 mai 2024", "Prêt P-778 · Créé le 15 janv. 2024"]);
});

test("a template file is downloaded under its name", async () => {
  const page = await browser.open(`${portal.url}#/dossiers/L-2024-0003`);
  await become(page, "client");
  const button = page.getByRole("button", { name: "Formulaire à remplir\u00a0: Mandat de prélèvement SEPA.pdf" }).first();
  assert.match(await button.innerText(), /^↓\s+Formulaire à remplir\u00a0: Mandat de prélèvement SEPA\.pdf$/);
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  assert.equal(download.suggestedFilename(), "Mandat de prélèvement SEPA.pdf");
  assert.equal((await readFile(await download.path(), "latin1")).slice(0, 5), "%PDF-");
});

test("a bundle is new until it is opened", async () => {
  portal.import(new URL("../../fixtures/depots.json", import.meta.url).pathname);
  const page = await browser.open(portal.url);
  await become(page, "client");
  const card = page.locator(".card", { hasText: "Rachat de crédits" });
  await card.waitFor();
  assert.equal(await card.getByText("Nouveau depuis votre dernière visite", { exact: true }).count(), 1);
  await page.getByRole("button", { name: "English" }).click();
  assert.match(await page.locator(".summary").innerText(), /^6 files · \d complete · \d files? new since your last visit · 2 documents to send$/);
  assert.equal(await card.getByText("New since your last visit", { exact: true }).count(), 1);
  await page.getByRole("button", { name: "Français" }).click();
  await card.getByRole("link").click();
  await page.getByRole("heading", { name: "Autres documents", exact: true }).waitFor();
  await page.locator(".back a").click();
  await card.waitFor();
  assert.equal(await card.getByText("Nouveau").count(), 0);
});

test("each expected or rejected piece links to the lender's form", async () => {
  const contacts = ["--page-contact", "fr=Du lundi au vendredi, au 01 02 03 04 05", "--page-contact", "en=https://lender.test/contact"];
  const other = await new Portal().start([...portal.developmentFlags(), "--page-deposit-url", "https://deposit.test/form?b={bundle}&p={piece}", ...contacts]);
  try {
    const page = await browser.open(`${other.url}#/dossiers/L-2024-0003`);
    await become(page, "client");
    const steps = page.locator(".next-steps");
    await steps.waitFor();
    assert.deepEqual(await steps.getByRole("link").evaluateAll((links) => links.map((link) => [link.ariaLabel, link.href])), [
      ["Envoyer en ligne\u00a0: Carte nationale d'identité, recto et verso", "https://deposit.test/form?b=L-2024-0003&p=c9bf9e57-1685-4c89-bafb-ff5af830be81"],
      ["Envoyer en ligne\u00a0: Attestation sur l'honneur de charges et de ressources", "https://deposit.test/form?b=L-2024-0003&p=c9bf9e57-1685-4c89-bafb-ff5af830be83"],
      ["Envoyer en ligne\u00a0: Mandat de prélèvement SEPA signé", "https://deposit.test/form?b=L-2024-0003&p=c9bf9e57-1685-4c89-bafb-ff5af830be84"],
      [null, "tel:0102030405"],
    ]);
    await steps.getByText("Du lundi au vendredi, au 01 02 03 04 05", { exact: true }).waitFor();
    assert.equal(await steps.getByText("Cette page ne reçoit pas de documents").count(), 0);
    await assertAccessible(page);
    await page.getByRole("button", { name: "English" }).click();
    assert.equal(await steps.getByRole("link", { name: "Contact us" }).getAttribute("href"), "https://lender.test/contact");
    // A complete file, one that is checked, the list, an unknown file.
    for (const [address, selector] of [["L-2024-0001", ".notice.good"], ["L-2025-0002", ".overview"], ["", ".card"], ["L-0", "[role=alert]"]]) {
      await page.goto(`${other.url}#/dossiers/${address}`);
      await page.locator(selector).first().waitFor();
      assert.equal(await page.getByRole("link", { name: "Contact us" }).getAttribute("href"), "https://lender.test/contact", address);
      await page.getByRole("button", { name: "Français" }).click();
      assert.equal(await page.getByRole("link", { name: "01 02 03 04 05" }).getAttribute("href"), "tel:0102030405", address);
      await assertAccessible(page);
      await page.getByRole("button", { name: "English" }).click();
    }
    page.errors = page.errors.filter((error) => !error.includes("404")); // of the unknown file
    assert.deepEqual(page.errors, []);
  } finally {
    await other.remove();
  }
});

test("without the lender's form, a client is told that the page receives no documents", async () => {
  const page = await browser.open(`${portal.url}#/dossiers/L-2024-0003`);
  await become(page, "client");
  await page.getByText("Cette page ne reçoit pas de documents\u00a0: envoyez-les à votre établissement prêteur.").waitFor();
  assert.equal(await page.locator(".next-steps").getByRole("link").count(), 0);
});

test("the Tab key reaches controls, not text", async () => {
  const page = await browser.open("about:blank");
  await page.setContent('<p>Template</p><div tabindex="0">Template</div><button>Other</button>');
  await assert.rejects(tabTo(page, "Template"), /does not reach Template/);
  await tabTo(page, "Other");
});

test("a heading has the focus from the moment it is shown", async () => {
  const page = await browser.open(portal.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate(() => {
    window.shown = [];
    new MutationObserver((changes) => {
      const headings = changes.flatMap(({ addedNodes }) => [...addedNodes]).flatMap((node) => [...(node.querySelectorAll?.("h1") ?? [])]);
      for (const heading of headings) window.shown.push([heading.innerText, document.activeElement === heading]);
    }).observe(document.body, { childList: true, subtree: true });
  });
  await become(page, "client");
  await page.getByRole("link", { name: "Rachat de crédits" }).click();
  await page.getByRole("heading", { name: "Rachat de crédits", level: 1 }).waitFor();
  assert.deepEqual(await page.evaluate(() => window.shown), [["Mes dossiers", true], ["Rachat de crédits", true]]);
});

test("by keyboard alone, in English", async () => {
  const page = await browser.open(portal.url, { locale: "en-GB" });
  await page.getByRole("heading", { name: "Welcome to your portal" }).waitFor();
  await tabTo(page, "client");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "My files" }).waitFor();
  await page.getByRole("link", { name: "Rachat de crédits" }).waitFor();
  await tabTo(page, "Rachat de crédits");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What to do next" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.innerText), "Rachat de crédits", "the heading has the focus");
  await tabTo(page, "Form to fill in: Mandat de prélèvement SEPA.pdf");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Space")]);
  assert.equal(download.suggestedFilename(), "Mandat de prélèvement SEPA.pdf");
});

test("a client who opens a manager's address of an own file sees the client's view", async () => {
  const page = await browser.open(`${portal.url}#/tableau-de-bord/L-2024-0003`);
  await become(page, "client");
  await page.getByRole("heading", { name: "Ce qu’il vous reste à faire" }).waitFor();
  await isAt(page, `${portal.url}#/dossiers/L-2024-0003`);
  assert.equal(await page.locator(".back a").innerText(), "← Mes dossiers");
  await page.locator(".back a").click();
  await page.locator(".card").first().waitFor();
  assert.deepEqual(page.errors, []);
});

test("another client's bundle, or none, is reported with what to do next", async () => {
  const page = await browser.open(`${portal.url}#/dossiers/L-0000000100`);
  await become(page, "client");
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.equal(await alert.innerText(),
    "Le dossier L-0000000100 n’existe pas, ou n’est pas le vôtre.\n\nVérifiez l’adresse, ou choisissez l’un de vos dossiers.");
  await page.getByRole("heading", { name: "Dossier introuvable", level: 1 }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Réessayer maintenant" }).count(), 0);
  await assertAccessible(page);
  assert.deepEqual(await page.locator("main").getByRole("link").allInnerTexts(), ["Voir mes dossiers"]);
  await page.getByRole("link", { name: "Voir mes dossiers" }).click();
  await page.locator(".card").first().waitFor();
});
