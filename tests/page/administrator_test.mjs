// The administrator's section: editing the two fields of a mail object, and every reason for a refusal; on a phone and a desktop, by mouse
// and by keyboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, become, sizes, tabTo } from "./browser.mjs";
import { setUp } from "./set_up.mjs";

const { browser, portal } = await setUp();

const row = (page, code) => page.locator(".mail-objects tbody tr", { has: page.getByRole("rowheader", { name: code, exact: true }) });

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
    await assertFits(page);
    await assertAccessible(page);
    const rib = row(page, "RIB");
    await rib.getByRole("switch", { name: "RIB\u00a0: utilisable dans un dossier" }).uncheck();
    await rib.getByRole("combobox", { name: "RIB\u00a0: affectation" }).selectOption("Optionnel");
    await assertFits(page);
    await assertAccessible(page);
    assert.deepEqual(await stored(15), [true, "Obligatoire"], "changes are saved only on request");
    await rib.getByRole("button", { name: "Enregistrer RIB" }).click();
    await rib.getByText("Enregistré", { exact: false }).waitFor();
    assert.deepEqual(await stored(15), [false, "Optionnel"]);
    assert.equal(await rib.getByRole("button").count(), 0, "there is nothing left to save");
    await rib.getByRole("combobox").selectOption("Rien");
    await rib.getByRole("button", { name: "Annuler RIB" }).click();
    assert.equal(await rib.getByRole("combobox").inputValue(), "Optionnel");
    assert.deepEqual(page.errors, []);
  });
}

test("a concurrent change is not overwritten", async () => {
  await change(1, true, "Obligatoire");
  const page = await openMailObjects();
  const cni = row(page, "CNI");
  await change(1, true, "Rien");
  await cni.getByRole("combobox").selectOption("Optionnel");
  await cni.getByRole("button", { name: "Enregistrer CNI" }).click();
  await cni.getByRole("alert").getByText("Un autre utilisateur a changé ces réglages entre-temps.").waitFor();
  assert.deepEqual(await stored(1), [true, "Rien"]);
  await assertAccessible(page);
  await cni.getByRole("button", { name: "Recharger CNI" }).click();
  await cni.getByRole("alert").waitFor({ state: "detached" });
  assert.equal(await cni.getByRole("combobox").inputValue(), "Rien");
  await cni.getByRole("combobox").selectOption("Optionnel");
  await cni.getByRole("button", { name: "Enregistrer CNI" }).click();
  await cni.getByText("✓ Enregistré").waitFor();
  assert.deepEqual(await stored(1), [true, "Optionnel"]);

  await change(1, false, "Rien"); // between two changes of the same user: If-Match
  await cni.getByRole("combobox").selectOption("Obligatoire");
  const [refused] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === "PUT"),
    cni.getByRole("button", { name: "Enregistrer CNI" }).click(),
  ]);
  assert.equal(refused.status(), 412);
  await cni.getByRole("alert").getByText("Un autre utilisateur a changé ces réglages entre-temps.").waitFor();
  assert.deepEqual(await stored(1), [false, "Rien"]);
});

test("a user without the permission sees a notice, and the service's message on an attempt", async () => {
  const page = await browser.open(`${portal.url}#/documents`);
  await become(page, "client");
  await page.getByText("Vous pouvez consulter ces réglages, sans les changer.").waitFor();
  const rib = row(page, "PASSEPORT");
  await rib.getByRole("switch").uncheck();
  await rib.getByRole("button", { name: "Enregistrer PASSEPORT" }).click();
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
  await tabTo(page, "TITRE_SEJOUR: usable in files");
  await page.keyboard.press("Space");
  await tabTo(page, "Save TITRE_SEJOUR");
  await page.keyboard.press("Enter");
  await row(page, "TITRE_SEJOUR").getByText("✓ Saved").waitFor();
  assert.deepEqual(await stored(3), [false, "Optionnel"]);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "TITRE_SEJOUR: assignment", "the focus stays");
});
