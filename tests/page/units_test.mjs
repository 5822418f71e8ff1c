// The page's functions without a browser: the export's cells, the dashboard's orders, exact decimals, and errors.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const packages = process.env.PORTAIL_PAGE_PACKAGES;
const source = fileURLToPath(new URL("../../core/page/source", import.meta.url));
const { build } = createRequire(pathToFileURL(`${packages}/`))("esbuild");

// The browser objects that the modules use when they are loaded.
const storage = { getItem: () => null, setItem() {}, removeItem() {} };
const root = { removeAttribute() {}, dataset: {} };
Object.assign(globalThis, { localStorage: storage, sessionStorage: storage, document: { baseURI: "https://portal.test/", documentElement: root } });
Object.defineProperty(globalThis, "navigator", { value: { languages: ["fr-FR"] }, configurable: true });

const folder = await mkdtemp(join(tmpdir(), "portail-page-units-"));
after(() => rm(folder, { recursive: true }));
const modules = ["manager/csv", "manager/rows", "manager/selection", "service/ask", "service/json", "format"];
await build({
  stdin: { contents: modules.map((name) => `export * from "./${name}";`).join("\n"), resolveDir: source, loader: "ts" },
  outfile: join(folder, "page.mjs"),
  nodePaths: [packages],
  bundle: true,
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  external: ["oidc-client-ts"],
  logLevel: "warning",
});
const page = await import(pathToFileURL(join(folder, "page.mjs")));

const bundle = (id, more = {}) => ({
  id, nomDossier: "Prêt", creationDate: "2024-01-15T10:30:00+01:00", numeroTiers: "T1", nomTiers: "Durand", prenomTiers: "Chloé", numeroPret: "P-1",
  montantOpportunite: 1500, opportuniteMiseEnPlace: false, statut: "En cours", completion: 0, deposeeDepuisDerniereConsultation: false, erreur: null,
  piecesAttendues: [], ...more,
});
const row = (id, more) => page.rowOf(bundle(id, more));

test("a cell of the export is text if a spreadsheet would evaluate it as a formula", async () => {
  const cells = [["=1+1", "'=1+1"], ["+1", "'+1"], ["-1", "'-1"], ["@SUM(1)", "'@SUM(1)"], ["\t=1", "'\t=1"], ["\r=1", "'\r=1"], ["\n=1", "'\n=1"]];
  for (const [value, expected] of cells) {
    for (const name of ["id", "nomDossier", "creationDate", "numeroTiers", "nomTiers", "prenomTiers", "numeroPret", "statut", "erreur"]) {
      const text = await page.csvOf([row("L-1", { [name]: value })], "en").text();
      assert.ok(text.includes(`"${expected}"`), `${name}: ${JSON.stringify(value)} in ${text}`);
    }
  }
  const quoted = await page.csvOf([row("L-1", { nomDossier: 'a "b", c; d' })], "en").text();
  assert.ok(quoted.includes('"a ""b"", c; d"'), quoted);
});

test("the export has the separator and the decimals of the language", async () => {
  const rows = [row("L-1", { montantOpportunite: "12345678901234567.89", completion: 66.66666666666667 })];
  assert.equal((await page.csvOf(rows, "fr").text()).split("\r\n")[1],
    "L-1;Prêt;2024-01-15T10:30:00+01:00;T1;Durand;Chloé;P-1;12345678901234567,89;false;En cours;66,66666666666667;false;");
  assert.equal((await page.csvOf(rows, "en").text()).split("\r\n")[1],
    "L-1,Prêt,2024-01-15T10:30:00+01:00,T1,Durand,Chloé,P-1,12345678901234567.89,false,En cours,66.66666666666667,false,");
});

test("each order of the dashboard, with ties", () => {
  const rows = [
    row("B", { creationDate: "2024-01-15T10:30:00+01:00", completion: 50, nomTiers: "Étienne" }),
    row("A", { creationDate: "2024-01-15T09:30:00Z", completion: 50, nomTiers: "Zola" }), // the same instant as B
    row("C", { creationDate: "2023-01-15T10:30:00+01:00", completion: 100, nomTiers: "Durand", prenomTiers: "Zoé" }),
    row("D", { creationDate: "2025-01-15T10:30:00+01:00", completion: 0, nomTiers: "Durand", prenomTiers: "Émile" }),
  ];
  const expected = { oldest: "CABD", newest: "DBAC", least: "DABC", most: "CABD", name: "DCBA" };
  assert.deepEqual(Object.keys(expected), [...page.orders]);
  for (const [order, ids] of Object.entries(expected)) {
    assert.equal(page.select(rows, { ...page.noFilters, order }).map(({ id }) => id).join(""), ids, order);
  }
});

test("each step of completion, to its edges", () => {
  const completions = [[0, 0], [0.4, 1], [1, 1], [25.9, 1], [26, 2], [50, 2], [51, 3], [75.99, 3], [76, 4], [99.99, 4], [100, 5]];
  for (const [completion, step] of completions) assert.equal(page.stepOf(row("A", { completion })), step, String(completion));
});

test("decimals keep every digit from the answer to the page", async () => {
  const text = '{"a":12345678901234567.89,"b":0.1,"c":1e2,"d":150000.00,"e":-0.000000000000000000001}';
  const value = await page.wholeValue(new Response(text));
  assert.deepEqual(value, { a: "12345678901234567.89", b: 0.1, c: "1e2", d: "150000.00", e: "-0.000000000000000000001" });
  assert.equal(page.decimal(value.a).replace(/\s/g, " "), "12 345 678 901 234 567,89");
  const found = [];
  await page.eachElement(new Response("[9007199254740993, 2]"), (element) => found.push(element), async () => {});
  assert.deepEqual(found, ["9007199254740993", 2]);
  await assert.rejects(page.wholeValue(new Response('{"a":1')), { name: "TypeError", message: "the answer broke off" });
});

test("an error has the seconds of Retry-After", async () => {
  const original = globalThis.fetch;
  try {
    for (const [header, seconds] of [["5", 5], ["0", 0], [null, null], ["Wed, 21 Oct 2026 07:28:00 GMT", null]]) {
      const headers = header === null ? {} : { "Retry-After": header };
      globalThis.fetch = async () => new Response('{"error":{"message":"Trop tard","details":null}}', { status: 503, headers });
      await assert.rejects(page.request("api/app/liasse"), (error) => {
        assert.deepEqual([error.status, error.message, error.retryAfter, error.isTemporary], [503, "Trop tard", seconds, true]);
        return true;
      });
    }
  } finally {
    globalThis.fetch = original;
  }
});
