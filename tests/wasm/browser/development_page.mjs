// The portal's page in a browser, as a developer uses it.

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

/** When only the current data set is left. */
export async function onlyOneIsLeft(page) {
  await page.waitForFunction(async () => {
    const { current } = await import("/portail/data_set.js");
    const names = (await indexedDB.databases()).map(({ name }) => name).filter((name) => name.startsWith("portail-data"));
    return names.length === 1 && names[0] === (await current()).database;
  });
}

/** What a front end gets that fetches from this page: status and body. */
export function got(page, path) {
  return page.evaluate(async (asked) => {
    const answer = await fetch(asked);
    return { status: answer.status, body: await answer.text() };
  }, path);
}
