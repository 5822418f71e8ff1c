// The frame of the sections: size, content security policy, languages, themes, the end of a session, a server that does not answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, become, blockSiteData, contrast, personaButton, phone } from "./browser.mjs";
import { Portal } from "./portal.mjs";
import { setUp } from "./set_up.mjs";

const { browser, portal } = await setUp();

test("the first view is small, and loads nothing from other origins", async () => {
  const page = await browser.open("about:blank");
  const sizes = [];
  page.on("requestfinished", (request) => sizes.push(request.sizes().then(({ responseBodySize }) => [request.url(), responseBodySize])));
  await page.goto(portal.url);
  await become(page, "client");
  await page.locator(".card").first().waitFor();
  const loaded = await Promise.all(sizes);
  const all = loaded.reduce((sum, [, size]) => sum + size, 0);
  assert.ok(loaded.length >= 4 && all < 100_000, `${all} bytes: ${loaded.map(String).join(" ")}`);
  assert.deepEqual(loaded.filter(([url]) => !url.startsWith(portal.url)), []);
});

test("its policy blocks injected scripts and styles", async () => {
  const page = await browser.open(portal.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const applied = await page.evaluate(() => {
    const script = document.createElement("script");
    const style = document.createElement("style");
    style.textContent = "h1 { color: rgb(1, 2, 3) }";
    document.head.append(style);
    try {
      script.textContent = "window.intruded = true";
      document.head.append(script);
    } catch {} // Trusted Types
    return [window.intruded, getComputedStyle(document.querySelector("h1")).color === "rgb(1, 2, 3)"];
  });
  assert.deepEqual(applied, [undefined, false]);
  assert.ok(page.errors.some((trouble) => trouble.includes("Content Security Policy")), String(page.errors));
});

test("the default language is the browser's", async () => {
  const page = await browser.open(portal.url, { locale: "de-DE" });
  await page.getByRole("heading", { name: "Welcome to your portal" }).waitFor();
  assert.equal(await page.getAttribute("html", "lang"), "en");
  await page.getByRole("button", { name: "Français" }).click();
  await page.getByRole("heading", { name: "Bienvenue sur votre portail" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Bienvenue sur votre portail" }).waitFor();
  assert.equal(await page.getAttribute("html", "lang"), "fr");
});

test("the users of a trial portal are described in the selected language", async () => {
  const page = await browser.open(portal.url);
  const users = async () => (await page.locator(".personas button").allInnerTexts()).map((text) => text.split(/\n+/));
  await personaButton(page, "client").waitFor();
  assert.deepEqual(await users(), [
    ["Cliente", "Chloé Durand\u00a0: ses dossiers et ceux de son mari."],
    ["Gestionnaire", "Le tableau de bord de ses clients et de leurs dossiers."],
    ["Administratrice", "Les réglages des types de document, et les dossiers de la famille Durand."],
  ]);
  await page.getByText("Ceci est un portail d’essai\u00a0: connectez-vous en tant que l’un de ces utilisateurs.").waitFor();
  await page.getByRole("button", { name: "English" }).click();
  assert.deepEqual(await users(), [
    ["Client", "Chloé Durand: her own files and her husband's."],
    ["Manager", "The dashboard of the manager's clients and their files."],
    ["Administrator", "The settings of the document types, and the files of the Durand family."],
  ]);
  await page.getByText("This is a trial portal: sign in as one of these users.").waitFor();
});

test("the window's title is in the selected language", async () => {
  const page = await browser.open(`${portal.url}#/dossiers/L-2024-0003`);
  await become(page, "client");
  await page.getByRole("heading", { name: "Rachat de crédits" }).waitFor();
  assert.equal(await page.title(), "Rachat de crédits – Portail");
  await page.getByRole("button", { name: "English" }).click();
  await page.getByText("What to do next").waitFor();
  assert.equal(await page.title(), "Rachat de crédits – Portal");
});

test("the theme is the system's or the selected one", async () => {
  const page = await browser.open(portal.url, { colorScheme: "dark" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.equal(await ground(), "rgb(18, 21, 31)");
  await assertAccessible(page);
  await page.getByRole("button", { name: "Couleurs" }).click();
  assert.equal(await ground(), "rgb(245, 246, 250)");
  await page.getByRole("button", { name: "Couleurs\u00a0: clair" }).click();
  assert.equal(await ground(), "rgb(18, 21, 31)");
  await become(page, "client");
  await page.locator(".card").first().waitFor();
  await assertAccessible(page);
});

test("at 320 pixels no view is wider, and the header's rows and controls are apart, also from its border", async () => {
  const page = await browser.open(portal.url, { viewport: { width: 320, height: 800 } });
  for (const persona of ["client", "manager"]) {
    await become(page, persona);
    const button = page.getByRole("button", { name: "Se déconnecter" });
    const brand = await page.locator(".brand").boundingBox();
    const controls = await button.boundingBox();
    assert.ok(controls.y - (brand.y + brand.height) >= 6, "the rows are apart");
    const header = await page.locator("header.top").boundingBox();
    assert.ok(header.y + header.height - (controls.y + controls.height) >= 6, "the button is apart from the border");
    await page.locator(persona === "client" ? ".card .badge.new" : ".figures, .filters").first().waitFor();
    await assertFits(page);
    await button.click();
  }
});

test("the borders of controls have a contrast of 3:1, light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.open(portal.url, { colorScheme });
    const check = async (controlSelector, groundSelector) => {
      const control = page.locator(controlSelector).first();
      await control.waitFor();
      const border = await control.evaluate((element) => getComputedStyle(element).borderTopColor);
      const ground = await page.locator(groundSelector).first().evaluate((element) => getComputedStyle(element).backgroundColor);
      assert.ok(contrast(border, ground) >= 3, `${colorScheme} ${controlSelector}: ${contrast(border, ground)}`);
    };
    await check(".personas button", ".panel");
    await become(page, "administrator");
    await check("input.search", "body");
    await check(".mail-objects select", ".mail-objects");
    await check(".mail-objects [role=switch]:not(:checked)", ".mail-objects");
    await page.getByRole("link", { name: "Tableau de bord" }).click();
    for (const field of ["input[type=search]", "select", "[role=switch]"]) await check(`.filters ${field}`, ".filters");
  }
});

test("sign-out ends the session of this tab, and a reload keeps the session", async () => {
  const page = await browser.open(portal.url, { viewport: phone });
  await become(page, "client");
  await page.locator(".card").first().waitFor();
  await page.reload();
  await page.locator(".card").first().waitFor();
  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await personaButton(page, "manager").waitFor();
  await page.reload();
  await personaButton(page, "manager").waitFor();
});

test("the page works without browser storage", async () => {
  const page = await browser.open("about:blank");
  await blockSiteData(page);
  await page.goto(portal.url);
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("button", { name: "Colours" }).click();
  await become(page, "client");
  await page.getByRole("heading", { name: "My files" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Welcome to your portal" }).waitFor();
  assert.deepEqual(page.errors, []);
});

test("a token that has expired asks for another sign-in", async () => {
  const page = await browser.open(portal.url);
  await personaButton(page, "client").waitFor(); // else the start of this page may use the session up
  await page.evaluate((token) => sessionStorage.setItem("portail.session", JSON.stringify({ token, how: "persona" })),
    portal.expiredToken("client"));
  await page.goto(`${portal.url}#/dossiers/L-2024-0003`);
  await page.reload();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.equal(await alert.innerText(), "Votre session est terminée. Reconnectez-vous pour continuer.");
  await assertAccessible(page);
  await become(page, "client");
  await page.getByRole("heading", { name: "Rachat de crédits" }).waitFor();
});

test("a server that does not answer is reported, and requests are retried", async () => {
  const page = await browser.open(portal.url);
  await become(page, "client");
  await page.locator(".card").first().waitFor();
  await portal.stop();
  await page.getByRole("link", { name: "Rachat de crédits" }).click();
  await page.getByText("Le service ne répond pas.").waitFor();
  await page.getByText(/Nouvel essai dans \d+\ss\./).waitFor();
  await assertAccessible(page);
  await portal.start();
  await page.getByRole("heading", { name: "Rachat de crédits" }).waitFor();
});

test("a page that is opened while the server does not answer reports it", async () => {
  const page = await browser.open(portal.url);
  await become(page, "client");
  await page.locator(".card").first().waitFor();
  await page.clock.install();
  for (const path of ["page/settings.json", "api/abp/application-configuration"]) {
    await page.route(`**/${path}`, (route) => route.abort());
    await page.reload();
    await page.getByText("Le service ne répond pas.").waitFor();
    await assertAccessible(page);
    // The page would retry by itself, which removes the button.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Réessayer maintenant" }).click();
    await page.clock.resume();
    await page.locator(".card").first().waitFor();
  }
});

test("an unknown address is reported", async () => {
  const page = await browser.open(`${portal.url}#/ailleurs`);
  await become(page, "client");
  await page.getByRole("heading", { name: "Page introuvable" }).waitFor();
  assert.equal(await page.getByRole("alert").innerText(), "Cette page n’existe pas.\n\nVérifiez l’adresse, ou partez de vos dossiers.");
  assert.equal(await page.getByRole("link", { name: "Voir mes dossiers" }).getAttribute("href"), "#/dossiers");
  await assertAccessible(page);
  const other = await browser.open(`${portal.url}#/ailleurs`);
  await become(other, "manager");
  await other.getByRole("heading", { name: "Page introuvable" }).waitFor();
  assert.equal(await other.getByRole("alert").innerText(), "Cette page n’existe pas.\n\nVérifiez l’adresse, ou partez du tableau de bord.");
  assert.equal(await other.getByRole("link", { name: "Voir le tableau de bord" }).getAttribute("href"), "#/tableau-de-bord");
});

test("a portal without sign-in accepts a pasted token", async () => {
  const other = await new Portal().start([...portal.flagsWithoutPersonas(), "--page-contact", "fr=Au 01 02 03 04 05", "--page-contact", "en=At 01 02 03 04 05"]);
  try {
    const page = await browser.open(other.url);
    const box = page.getByLabel("Code d’accès", { exact: true });
    await page.getByText("Collez en entier le code d’accès que votre établissement prêteur vous a remis.", { exact: true }).waitFor();
    assert.doesNotMatch(await page.locator("main").innerText(), /jeton|token|n’a pas de page/i);
    const token = portal.token("client");
    await box.fill(`${token}…`);
    await page.getByRole("alert").getByText("« … » n’est pas autorisé dans un code d’accès.").waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Utiliser ce code" }).click();
    assert.equal(await box.inputValue(), `${token}…`, "the token is not accepted");
    // A header with the line breaks of a mail program.
    await box.fill(` "authorization: Bearer ${token.replace(/.{40}/g, "$&\n  ")}"\n`);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await assertAccessible(page);
    await page.getByRole("button", { name: "Utiliser ce code" }).click();
    await page.locator(".card").first().waitFor();

    await page.getByRole("button", { name: "Se déconnecter" }).click();
    const cases = [
      [portal.expiredToken("client"), "Il a expiré\u00a0: un code d’accès n’est valable qu’un certain temps. Demandez un nouveau code à votre établissement prêteur, " +
        "et collez-le ci-dessous.", "Le jeton a expiré"],
      ["abc", "Il est incomplet, ou a été modifié. Copiez de nouveau le code en entier, et collez-le ci-dessous. Si cela ne suffit pas, demandez-en un nouveau " +
        "à votre établissement prêteur.", "Le jeton n’est pas un JWS compact en trois parties"],
    ];
    const alert = page.getByRole("alert");
    for (const [refused, explanation, reason] of cases) {
      await box.fill(refused);
      await page.getByRole("button", { name: "Utiliser ce code" }).click();
      await alert.getByText(reason).waitFor();
      assert.equal(await alert.innerText(), `Votre code d’accès n’a pas été accepté.\n\n${explanation}\n\nPour l’assistance\u00a0: ${reason}\n\nAu 01 02 03 04 05`);
      const sizes = await alert.locator("p, small").evaluateAll((texts) => texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize)));
      assert.ok(sizes[1] < sizes[0], String(sizes));
      await assertAccessible(page);
    }
    await page.getByRole("button", { name: "English" }).click();
    assert.equal(await alert.innerText(), "Your access code was not accepted.\n\nIt is incomplete, or was changed. Copy the whole code again, and paste it below. " +
      "If that does not help, ask your lender for a new one.\n\nFor support: The token is not a compact JWS of three parts\n\nAt 01 02 03 04 05");
    assert.equal(await alert.locator("[lang=en]").count(), 1);
  } finally {
    await other.remove();
  }
});
