// The portal's page in a browser, as a developer uses it.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";

export async function ready(page) {
  await page.locator("#status", { hasText: "answering for this origin" }).waitFor();
}

export async function choose(page, persona) {
  await page.selectOption("#personas", persona);
  await page.locator(`#personas[data-chosen="${persona}"]`).waitFor();
}

/** Drops a file on the page; `shown` is what the page then shows: a fault, or the file's name as that of the data. */
export async function drop(page, name, text, shown) {
  await page.setInputFiles("#file", { name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.locator("#fault, #data-name", { hasText: shown }).waitFor();
}

/** The names of the databases that hold data sets. */
export async function databases(page) {
  const all = await page.evaluate(() => indexedDB.databases());
  return all.map(({ name }) => name).filter((name) => name.startsWith("portail-data"));
}

/** The current data set's database is the only one, once the others are deleted. */
export async function onlyOneIsLeft(page) {
  const deadline = Date.now() + 30_000;
  while ((await databases(page)).length > 1 && Date.now() < deadline) await setTimeout(20);
  const current = await page.evaluate(async () => (await (await import("/portail/data_set.js")).current()).database);
  assert.deepEqual(await databases(page), [current]);
}

/** What a front end gets that fetches from this page: status and body. */
export function got(page, path) {
  return page.evaluate(async (requested) => {
    const answer = await fetch(requested);
    return { status: answer.status, body: await answer.text() };
  }, path);
}
