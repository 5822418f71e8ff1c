// The administrator's section: editing the two fields of a mail object, and every reason for a refusal; on a phone and a desktop, by mouse
// and by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, become, isAt, personaButton, sizes, tabTo } from "./browser.mjs";
import { setUp } from "./set_up.mjs";

const { browser, portal } = await setUp();

const row = (page, code) => page.locator(".mail-objects tbody tr", { has: page.getByText(code, { exact: true }) });

async function openMailObjects(options) {
  const page = await browser.open(portal.url, options);
  await become(page, "administrator");
  await row(page, "RIB").waitFor();
  return page;
}

async function stored(id) {
  const page = await browser.open("about:blank");
  const answer = await page.context().request.get(`${portal.url}api/app/objet-courrier/${id}`,
    { headers: { Authorization: `Bearer ${portal.token("administrator")}` } });
  const { utilisablePourLiasse, typeAffectation } = await answer.json();
  return [utilisablePourLiasse, typeAffectation];
}

// A concurrent change by another user.
async function change(id, utilisablePourLiasse, typeAffectation) {
  const page = await browser.open("about:blank");
  const answer = await page.context().request.put(`${portal.url}api/app/objet-courrier/${id}`,
    { headers: { Authorization: `Bearer ${portal.token("administrator")}` }, data: { utilisablePourLiasse, typeAffectation } });
  assert.equal(answer.status(), 200);
}

for (const [size, viewport] of Object.entries(sizes)) {
  test(`an administrator changes both fields (${size})`, async () => {
    await change(15, true, "Obligatoire");
    const page = await openMailObjects({ viewport });
    assert.equal(await page.locator(".mail-objects tbody tr").count(), 40);
    assert.match(await page.locator(".lead").innerText(), / Une ligne que vous modifiez affiche Enregistrer et Annuler\u202f; la modification prend effet quand vous l’enregistrez\. /);
    assert.deepEqual((await page.locator(".meanings").innerText()).split(/\n+/), [
      "Utilisable dans un dossier", "Oui ou non\u00a0: si un dossier peut contenir ce document.",
      "Affectation", "Optionnel ou Obligatoire\u00a0: les dossiers demandent ce document. Rien\u00a0: ils ne le demandent pas, mais peuvent le contenir.",
    ]);
    const names = await page.locator(".mail-objects tbody th").allInnerTexts();
    assert.deepEqual(names, names.toSorted((a, b) => a.localeCompare(b, "fr")), "by the visible name");
    assert.match(names[0], /^Attestation d'hébergement/);
    await assertFits(page);
    await assertAccessible(page);
    const rib = row(page, "RIB");
    await rib.getByRole("switch", { name: /\s: utilisable dans un dossier$/ }).uncheck();
    await rib.getByRole("combobox", { name: /\s: affectation$/ }).selectOption("Optionnel");
    await assertFits(page);
    await assertAccessible(page);
    assert.deepEqual(await stored(15), [true, "Obligatoire"], "changes are saved only on request");
    await rib.getByRole("button", { name: /^Enregistrer\s: / }).click();
    await rib.getByText("Enregistré", { exact: false }).waitFor();
    assert.deepEqual(await stored(15), [false, "Optionnel"]);
    assert.equal(await rib.getByRole("button").count(), 0, "there is nothing left to save");
    await rib.getByRole("combobox").selectOption("Rien");
    await rib.getByRole("button", { name: /^Annuler\s: / }).click();
    assert.equal(await rib.getByRole("combobox").inputValue(), "Optionnel");
    assert.deepEqual(page.errors, []);
  });
}

test("a conflict shows both values, and the user chooses one", async () => {
  await change(1, true, "Obligatoire");
  const page = await openMailObjects();
  const cni = row(page, "CNI");
  const save = (name) => cni.getByRole("button", { name: `${name}\u00a0: Carte nationale d'identité, recto et verso` }).click();
  const conflict = async () => (await cni.getByRole("alert").innerText()).split(/\n+/);
  await change(1, false, "Rien");
  await cni.getByRole("combobox").selectOption("Optionnel");
  await save("Enregistrer");
  await cni.getByRole("alert").waitFor();
  const message = "Un autre utilisateur a changé ces réglages entre-temps.";
  assert.deepEqual(await conflict(), [message, "Enregistré\u00a0:", "Utilisable dans un dossier\u00a0: Non", "Affectation\u00a0: Rien", "Votre choix\u00a0:", "Utilisable dans un dossier\u00a0: Oui", "Affectation\u00a0: Optionnel"]);
  assert.deepEqual(await stored(1), [false, "Rien"], "it is not overwritten");
  await assertFits(page);
  await assertAccessible(page);

  await cni.getByRole("combobox").selectOption("Obligatoire");
  assert.deepEqual((await conflict()).slice(2), ["Utilisable dans un dossier\u00a0: Non", "Affectation\u00a0: Rien", "Votre choix\u00a0:", "Utilisable dans un dossier\u00a0: Oui", "Affectation\u00a0: Obligatoire"], "another choice does not resolve it");
  await page.getByRole("link", { name: "Mes dossiers" }).click();
  await page.getByRole("heading", { name: "Mes dossiers" }).waitFor();
  await page.getByRole("link", { name: "Types de document" }).click();
  await cni.getByRole("alert").waitFor();
  assert.deepEqual((await conflict()).slice(2), ["Utilisable dans un dossier\u00a0: Non", "Affectation\u00a0: Rien", "Votre choix\u00a0:", "Utilisable dans un dossier\u00a0: Oui", "Affectation\u00a0: Obligatoire"], "nor does another section");
  await cni.getByRole("switch").uncheck();
  await cni.getByRole("combobox").selectOption("Rien");
  await cni.getByRole("alert").waitFor({ state: "detached" });
  assert.equal(await cni.getByRole("button").count(), 0, "the user chose the saved value");

  await cni.getByRole("combobox").selectOption("Optionnel");
  await change(1, true, "Obligatoire");
  await save("Enregistrer");
  await cni.getByRole("alert").waitFor();
  await save("Utiliser «\u00a0Utilisable, Obligatoire\u00a0» (enregistré)");
  await cni.getByRole("alert").waitFor({ state: "detached" });
  assert.deepEqual([await cni.getByRole("combobox").inputValue(), await cni.getByRole("switch").isChecked()], ["Obligatoire", true]);
  await cni.getByRole("switch").uncheck();
  await cni.getByRole("combobox").selectOption("Optionnel");
  await save("Enregistrer");
  await cni.getByText("✓ Enregistré").waitFor();
  assert.deepEqual(await stored(1), [false, "Optionnel"]);

  await change(1, true, "Rien"); // between two changes of the same user: If-Match
  await cni.getByRole("combobox").selectOption("Obligatoire");
  const [refused] = await Promise.all([page.waitForResponse((response) => response.request().method() === "PUT"), save("Enregistrer")]);
  assert.equal(refused.status(), 412);
  await cni.getByRole("alert").waitFor();
  assert.deepEqual(await conflict(), [message, "Enregistré\u00a0:", "Utilisable dans un dossier\u00a0: Oui", "Affectation\u00a0: Rien", "Votre choix\u00a0:", "Utilisable dans un dossier\u00a0: Non", "Affectation\u00a0: Obligatoire"]);
  assert.deepEqual(await stored(1), [true, "Rien"]);
  await save("Utiliser «\u00a0Non utilisable, Obligatoire\u00a0» (votre choix)");
  await cni.getByText("✓ Enregistré").waitFor();
  assert.deepEqual(await stored(1), [false, "Obligatoire"]);
});

test("a changed row and a conflict move no column, and their buttons name the value", async () => {
  await change(1, true, "Obligatoire");
  const page = await browser.open(portal.url, { locale: "en-GB", viewport: { width: 1280, height: 900 } });
  await become(page, "administrator");
  const cni = row(page, "CNI");
  await cni.waitFor();
  await cni.evaluate((element) => scrollBy(0, element.getBoundingClientRect().bottom - innerHeight));
  const columns = () => page.locator(".mail-objects thead tr > *").evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().x));
  const buttons = () => cni.locator(".decision button").allInnerTexts();
  const initial = await columns();
  await change(1, true, "Rien");
  await cni.getByRole("combobox").selectOption("Optional");
  assert.deepEqual([await columns(), await buttons()], [initial, ["Save", "Cancel"]]);
  await cni.getByRole("button", { name: "Save: Carte nationale d'identité, recto et verso" }).click();
  await cni.getByRole("alert").waitFor();
  assert.deepEqual([await columns(), await buttons()], [initial, ["Use “Optional” (yours)", "Use “None” (saved)"]]);
  await page.waitForFunction(() => document.querySelector(".decision").getBoundingClientRect().bottom <= innerHeight);
  assert.equal(await page.locator(".mail-objects *").evaluateAll((parts) => parts.filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0 && getComputedStyle(part).display !== "inline").length), 0);
  await cni.getByRole("switch").uncheck();
  assert.deepEqual(await buttons(), ["Use “Not usable, Optional” (yours)", "Use “Usable, None” (saved)"]);
  await page.setViewportSize({ width: 1025, height: 900 });
  await assertFits(page);
  await assertAccessible(page);
});

test("an edit that is not saved survives another section, and the browser asks before it is lost", async () => {
  await change(2, true, "Optionnel");
  const page = await openMailObjects();
  const passport = row(page, "PASSEPORT");
  const leave = async () => {
    await page.getByRole("link", { name: "Mes dossiers" }).click();
    await page.getByRole("heading", { name: "Mes dossiers" }).waitFor();
  };
  const comeBack = () => page.getByRole("link", { name: "Types de document" }).click();
  await passport.getByRole("combobox").selectOption("Rien");
  await leave();
  await comeBack();
  await passport.getByRole("button", { name: "Enregistrer" }).waitFor();
  assert.equal(await passport.getByRole("combobox").inputValue(), "Rien");
  await page.getByRole("searchbox").fill("permis");
  await passport.waitFor({ state: "detached" });
  await page.getByRole("searchbox").fill("  BANCAIRE releve");
  await page.getByRole("row", { name: /Relevé d'identité bancaire/ }).waitFor();
  await page.getByRole("searchbox").fill("passeport rib");
  await page.getByText("Aucun type de document ne correspond à cette recherche.").waitFor();
  await page.getByRole("searchbox").fill("");
  assert.equal(await passport.getByRole("combobox").inputValue(), "Rien");

  await leave();
  await change(2, false, "Optionnel");
  await comeBack();
  await passport.getByRole("alert").getByText("Utilisable dans un dossier\u00a0: Non Affectation\u00a0: Optionnel").waitFor();
  const [dialog] = await Promise.all([page.waitForEvent("dialog"), page.evaluate(() => void setTimeout(() => location.reload()))]);
  assert.equal(dialog.type(), "beforeunload");
  await dialog.dismiss();
  await passport.getByRole("button", { name: "Utiliser «\u00a0Non utilisable, Optionnel\u00a0» (enregistré)" }).click();
  await page.reload();
  await passport.waitFor();
  assert.deepEqual(await stored(2), [false, "Optionnel"]);
  await change(2, true, "Optionnel");
});

test("an edit that another user has stored is no longer an edit", async () => {
  await change(6, true, "Optionnel");
  const page = await openMailObjects();
  const contract = row(page, "CONTRAT_MARIAGE");
  await contract.getByRole("combobox").selectOption("Rien");
  await page.getByRole("link", { name: "Mes dossiers" }).click();
  await page.getByRole("heading", { name: "Mes dossiers" }).waitFor();
  await change(6, true, "Rien");
  await page.getByRole("link", { name: "Types de document" }).click();
  await contract.waitFor();
  assert.deepEqual([await contract.getByRole("combobox").inputValue(), await contract.getByRole("button").count()], ["Rien", 0]);
  await page.getByRole("button", { name: "Se déconnecter" }).click(); // without a question
  await personaButton(page, "administrator").waitFor();
});

test("the search is in the address; a user who comes back finds the scroll position and the row that was edited", async () => {
  await change(15, true, "Obligatoire");
  const page = await openMailObjects({ viewport: { width: 1280, height: 500 } });
  const leave = async () => {
    await page.getByRole("link", { name: "Mes dossiers" }).click();
    await page.getByRole("heading", { name: "Mes dossiers" }).waitFor();
  };
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText);
  const edited = "Relevé d'identité bancaire (« RIB »)\u00a0: affectation";
  const field = page.getByRole("combobox", { name: edited });
  await field.scrollIntoViewIfNeeded();
  await field.selectOption("Optionnel");
  const top = await page.evaluate(() => (scrollBy(0, 60), scrollY));
  assert.ok(top > 500, `the row is ${top} px below the top`);
  await leave();
  assert.equal(await focused(), "Mes dossiers");
  await page.getByRole("link", { name: "Types de document" }).click();
  await page.waitForFunction((expected) => scrollY === expected, top);
  assert.equal(await focused(), edited);
  await leave();
  await page.goBack();
  await page.waitForFunction((expected) => scrollY === expected, top);
  assert.equal(await focused(), edited);
  await page.getByRole("button", { name: /^Annuler/ }).click();

  await page.getByRole("searchbox").fill("attestation hébergement");
  const address = `${portal.url}#/documents?recherche=attestation+h%C3%A9bergement`;
  await isAt(page, address);
  assert.equal(await page.locator(".mail-objects tbody tr").count(), 1);
  await leave();
  await page.getByRole("link", { name: "Types de document" }).click();
  await page.locator(".mail-objects").waitFor();
  await isAt(page, address);
  await page.reload();
  await page.locator(".mail-objects").waitFor();
  assert.deepEqual([await page.locator(".mail-objects tbody tr").count(), await page.getByRole("searchbox").inputValue()], [1, "attestation hébergement"]);
  await page.getByRole("searchbox").fill("");
  await isAt(page, `${portal.url}#/documents`);
  assert.equal(await page.locator(".mail-objects tbody tr").count(), 40);
  assert.deepEqual(page.errors, []);
});

test("sign-out asks before it discards an edit that is not saved", async () => {
  await change(5, true, "Optionnel");
  const page = await openMailObjects();
  const record = row(page, "LIVRET_FAMILLE");
  await record.getByRole("combobox").selectOption("Rien");
  const signOut = async (answer) => {
    const dialog = page.waitForEvent("dialog").then(async (shown) => {
      await shown[answer]();
      return [shown.type(), shown.message()];
    });
    await page.getByRole("button", { name: "Se déconnecter" }).click();
    return dialog;
  };
  const question = ["confirm", "Vous avez des modifications non enregistrées. Les abandonner et se déconnecter\u202f?"];
  assert.deepEqual(await signOut("dismiss"), question);
  await page.getByRole("link", { name: "Mes dossiers" }).click();
  await page.getByRole("heading", { name: "Mes dossiers" }).waitFor();
  assert.deepEqual(await signOut("accept"), question, "in each section");
  await become(page, "administrator");
  await record.waitFor();
  assert.equal(await record.getByRole("combobox").inputValue(), "Optionnel");
  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await personaButton(page, "administrator").waitFor();
  assert.deepEqual(page.errors, []);
});

test("after a 401, the same user finds an edit that is not saved, and no other user", async () => {
  await change(5, true, "Optionnel");
  const page = await openMailObjects();
  const record = row(page, "LIVRET_FAMILLE");
  const address = "**/api/app/objet-courrier/5";
  const endSession = async () => {
    await page.route(address, (route) => route.fulfill({ status: 401, json: { error: { message: "Refusé" } } }));
    await record.getByRole("button", { name: "Enregistrer" }).click();
    await page.getByRole("alert").getByText("Votre session est terminée. Reconnectez-vous pour continuer.").waitFor();
    await page.unroute(address);
  };
  await record.getByRole("combobox").selectOption("Rien");
  await endSession();
  await page.reload();
  await become(page, "administrator");
  await record.getByRole("button", { name: "Enregistrer" }).waitFor();
  assert.equal(await record.getByRole("combobox").inputValue(), "Rien");

  await endSession();
  await become(page, "administrator");
  await record.getByRole("button", { name: "Enregistrer" }).waitFor();
  assert.equal(await record.getByRole("combobox").inputValue(), "Rien");

  await endSession();
  await page.evaluate(() => (location.hash = "#/documents"));
  await become(page, "manager");
  await record.waitFor();
  assert.equal(await record.getByRole("combobox").inputValue(), "Optionnel");
  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await become(page, "administrator");
  await record.waitFor();
  assert.equal(await record.getByRole("combobox").inputValue(), "Optionnel");
  assert.deepEqual(await stored(5), [true, "Optionnel"]);
});

test("a search that hides a saved row shows it as it is stored", async () => {
  await change(7, true, "Optionnel");
  const page = await openMailObjects();
  const judgment = row(page, "JUGEMENT_DIVORCE");
  const field = judgment.getByRole("combobox");
  const search = async () => {
    await page.getByRole("searchbox").fill("passeport");
    await judgment.waitFor({ state: "detached" });
    await page.getByRole("searchbox").fill("");
    await judgment.waitFor();
  };
  const save = async () => {
    await judgment.getByRole("button", { name: /^Enregistrer/ }).click();
    await judgment.getByText("✓ Enregistré").waitFor();
  };
  await field.selectOption("Rien");
  await save();
  await search();
  assert.equal(await field.inputValue(), "Rien");
  await field.selectOption("Optionnel");
  await search();
  assert.equal(await field.inputValue(), "Optionnel", "the edit is kept");
  await save();
  assert.deepEqual(await stored(7), [true, "Optionnel"]);
});

test("a user without the permission sees a notice, and the service's message on an attempt", async () => {
  const page = await browser.open(`${portal.url}#/documents`);
  await become(page, "client");
  await page.getByText("Vous pouvez consulter ces réglages, sans les changer.").waitFor();
  const rib = row(page, "PASSEPORT");
  await rib.getByRole("switch").uncheck();
  await rib.getByRole("button", { name: "Enregistrer" }).click();
  await rib.getByRole("alert").getByText("Vous n'avez pas la permission que cette opération exige !").waitFor();
  await assertAccessible(page);
  assert.deepEqual(await stored(2), [true, "Optionnel"]);
});

test("by keyboard alone, in English", async () => {
  await change(3, true, "Optionnel");
  const page = await browser.open(portal.url, { locale: "en-GB" });
  await page.getByRole("heading", { name: "Welcome to your portal" }).waitFor();
  await tabTo(page, "administrator");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Document types" }).waitFor();
  await row(page, "TITRE_SEJOUR").waitFor();
  assert.deepEqual((await page.locator(".meanings").innerText()).split(/\n+/), [
    "Usable in files", "On or off: whether a file can contain this document.",
    "Assignment", "Optional or Required: files ask for this document. None: they do not ask for it, and can still contain it.",
  ]);
  const name = await row(page, "TITRE_SEJOUR").getByRole("switch").getAttribute("aria-label");
  assert.match(name, /: usable in files$/);
  await tabTo(page, name);
  await page.keyboard.press("Space");
  await tabTo(page, name.replace(/^(.*): usable in files$/, "Save: $1"));
  await page.keyboard.press("Enter");
  await row(page, "TITRE_SEJOUR").getByText("✓ Saved").waitFor();
  assert.deepEqual(await stored(3), [false, "Optionnel"]);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), name.replace("usable in files", "assignment"), "the focus stays");
});
