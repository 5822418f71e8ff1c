// The page's functions without a browser: the export, the dashboard's orders and filters, exact decimals, requests and retries, statuses,
// addresses and pasted tokens.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const packages = process.env.TEST_PAGE_PACKAGES;
const source = fileURLToPath(new URL("../../page/source", import.meta.url));
const { build } = createRequire(pathToFileURL(`${packages}/`))("esbuild");

// The browser objects that the modules use when they are loaded.
const storage = { getItem: () => null, setItem() {}, removeItem() {} };
const root = { removeAttribute() {}, dataset: {} };
Object.assign(globalThis, { localStorage: storage, sessionStorage: storage, document: { baseURI: "https://portal.test/", documentElement: root } });
const listeners = {};
Object.assign(globalThis, { location: { hash: "" }, addEventListener: (name, listener) => (listeners[name] = listener) });
Object.defineProperty(globalThis, "navigator", { value: { languages: ["fr-FR", "en-US@posix", "de"] }, configurable: true });

const folder = await mkdtemp(join(tmpdir(), "portail-page-units-"));
after(() => rm(folder, { recursive: true }));
const modules = ["manager/csv", "manager/rows", "manager/selection", "service/ask", "service/json", "service/loaded", "format", "pasted_token", "preferences",
  "route", "session", "settings", "statuses"];
await build({
  stdin: { contents: modules.map((name) => `export * from "./${name}";`).join("\n"), resolveDir: source, loader: "ts" },
  outfile: join(folder, "page.mjs"),
  nodePaths: [packages],
  bundle: true,
  format: "esm",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
const page = await import(pathToFileURL(join(folder, "page.mjs")));

const bundle = (id, more = {}) => ({
  id, nomDossier: "Prêt", creationDate: "2024-01-15T10:30:00+01:00", numeroTiers: "T1", nomTiers: "Durand", prenomTiers: "Chloé", numeroPret: "P-1",
  montantOpportunite: 1500, opportuniteMiseEnPlace: false, statut: "En cours", completion: 0, deposeeDepuisDerniereConsultation: false, erreur: null,
  piecesAttendues: [], ...more,
});
const row = (id, more) => page.rowOf(bundle(id, more));

test("a cell of the exports is text if a spreadsheet would evaluate it as a formula", async () => {
  page.language.value = "en";
  const cells = [["=1+1", "'=1+1"], ["+A1", "'+A1"], ["-A1", "'-A1"], ["@SUM(1)", "'@SUM(1)"], ["\t=1", "'\t=1"], ["\r=1", "'\r=1"], ["\n=1", "'\n=1"],
    ["＝1+1", "'＝1+1"], ["＋A1", "'＋A1"], ["－A1", "'－A1"], ["＠SUM(1)", "'＠SUM(1)"]];
  for (const [value, expected] of cells) {
    for (const name of ["id", "nomDossier", "numeroTiers", "nomTiers", "prenomTiers", "numeroPret"]) {
      const rows = [row("L-1", { [name]: value })];
      for (const file of [page.csvOf(rows), page.rawCsvOf(rows)]) {
        const text = await file.text();
        assert.ok(text.includes(`"${expected}"`), `${name}: ${JSON.stringify(value)} in ${text}`);
      }
    }
    for (const name of ["creationDate", "statut", "erreur"]) {
      const text = await page.rawCsvOf([row("L-1", { [name]: value })]).text();
      assert.ok(text.includes(`"${expected}"`), `${name}: ${JSON.stringify(value)} in ${text}`);
    }
  }
  const refused = { statut: "Rejeté", motif: "flou", objetCourrier: { description: "=1" } };
  assert.ok((await page.csvOf([row("L-1", { piecesAttendues: [refused, refused] })]).text()).includes(`"'=1 – flou; =1 – flou"`));
  for (const [value, cell] of [['a "b", c; d', '"a ""b"", c; d"'], ["a\tb", '"a\tb"']]) {
    const quoted = await page.csvOf([row("L-1", { nomDossier: value })]).text();
    assert.ok(quoted.includes(`,${cell},`), quoted);
  }
});

test("a cell of the export for spreadsheets is text if they would take it for a number, a date or a truth value", async () => {
  page.language.value = "en";
  page.portalSettings.value = { signIn: null, personas: [], currency: "CHF" };
  const converted = ["00123", "1-2", "12345678901234567890", "1/2", "2024-01-15", "2024-01-15T10:30:00Z", "10:30", "5 pm", "1E5", "1.E5", "1.e+5", "5.E-3", "5.E+3", "1,E5", "1,e-3", "1,E+5", "1,5e-3", "(5)", "5 %", "$5", "CHF 5", "1 000,50",
    "1\u202f000", "1’000", "０１２", "½", "12 mars", "févr. 3", "Fe\u0301vr. 3", "lundi 15 janvier 2024", "Jan 24", "SEPT2", "August-1", "3. März", "TRUE", "false", "VRAI", "Faux", "123456789012", "00",
    "-5", "#N/A", "#DIV/0!", "#REF!", " #N/A"];
  const kept = ["L-2024-0001", "T000123", "P-1", "2 pièces", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "1234-AB", "Durand", "Mars", "13 Marseille", "Vraiment", "12 rue des Faux", "A1", "", "0", "7", "12345678901", "1234T", "12E",
    "1234Z", "N/A", "n°#1"];
  for (const [values, mark] of [[converted, "'"], [kept, ""]]) {
    for (const value of values) {
      const [, line] = (await page.csvOf([row("L-1", { nomDossier: value })]).text()).split("\r\n");
      const cell = mark || value.includes(",") ? `"${mark}${value}"` : value;
      assert.equal(line, `L-1,${cell},15/01/2024,T1,Durand,Chloé,P-1,1500,No,In progress,0,No,`);
    }
  }
  const [, raw] = (await page.rawCsvOf([row("00123", { nomDossier: "1-2" })]).text()).split("\r\n");
  assert.ok(raw.startsWith("00123,1-2,"), "the values themselves");
  assert.ok((await page.rawCsvOf([row("#N/A")]).text()).includes("\r\n#N/A,"));
  page.portalSettings.value = { signIn: null, personas: [] };
});

test("the export has the words, separators, decimals and days of the language", async () => {
  const rows = [row("L-1", { montantOpportunite: "12345678901234567.89", completion: 66.66666666666667, deposeeDepuisDerniereConsultation: true }),
    row("L-2", { montantOpportunite: "-1234567890123.4500" })];
  page.language.value = "fr";
  assert.equal(await page.csvOf(rows).text(), "Référence;Dossier;Créé le;Numéro de client;Nom;Prénom;Prêt;Montant (EUR);Prêt mis en place;Statut;" +
    "Avancement (%);Nouveau depuis votre dernière visite;Refus\r\nL-1;Prêt;15/01/2024;T1;Durand;Chloé;P-1;\"'12345678901234567,89\";Non;En cours;67;Oui;\r\n" +
    "L-2;Prêt;15/01/2024;T1;Durand;Chloé;P-1;-1234567890123,4500;Non;En cours;0;Non;\r\n");
  page.language.value = "en";
  page.portalSettings.value = { signIn: null, personas: [], currency: "CHF" };
  assert.equal(await page.csvOf([row("L-1", { statut: "Complet", opportuniteMiseEnPlace: true })]).text(),
    "Reference,File,Created,Client number,Last name,First name,Loan,Amount (CHF),Loan in place,Status,Completion (%),New since your last visit,Rejections\r\n" +
    "L-1,Prêt,15/01/2024,T1,Durand,Chloé,P-1,1500,Yes,Complete,0,No,\r\n");
  page.portalSettings.value = { signIn: null, personas: [] };
  assert.equal(page.csvOf(rows).type, "text/csv;charset=utf-8");
  assert.deepEqual([...new Uint8Array(await page.csvOf(rows).arrayBuffer())].slice(0, 3), [0xef, 0xbb, 0xbf], "a byte order mark");
  page.language.value = "fr";
});

test("the raw export has the names and values of the service", async () => {
  const rows = [row("L-1", { montantOpportunite: "-12345678901234567.89", completion: 66.66666666666667, erreur: "une erreur" })];
  assert.equal(Buffer.from(await page.rawCsvOf(rows).arrayBuffer()).toString(), "id,nomDossier,creationDate,numeroTiers,nomTiers,prenomTiers,numeroPret,montantOpportunite," +
    "opportuniteMiseEnPlace,statut,completion,deposeeDepuisDerniereConsultation,erreur\r\n" +
    "L-1,Prêt,2024-01-15T10:30:00+01:00,T1,Durand,Chloé,P-1,-12345678901234567.89,false,En cours,66.66666666666667,false,une erreur\r\n");
});

test("a selection is written to the address and read from it", () => {
  const cases = [
    [{}, ""], [{ search: "é & b" }, "recherche=%C3%A9+%26+b"], [{ state: "complete" }, "statut=complet"], [{ state: "under-way" }, "statut=en-cours"],
    [{ step: 0 }, "avancement=0"], [{ step: 2 }, "avancement=26"], [{ step: 5 }, "avancement=100"], [{ kind: "rejected" }, "document=rejete"],
    [{ kind: "expected" }, "document=attendu"], [{ kind: "derogated" }, "document=deroge"], [{ kind: "Autre" }, "document=Autre"], [{ onlyNew: true }, "nouveautes=1"],
    [{ order: "newest" }, "tri=recents"], [{ order: "name" }, "tri=client"],
    [{ search: "a", state: "complete", step: 1, kind: "validated", onlyNew: true, order: "most" },
      "recherche=a&statut=complet&avancement=1&document=valide&nouveautes=1&tri=plus-avances"],
  ];
  for (const [part, query] of cases) {
    const selection = { ...page.noFilters, ...part };
    assert.equal(page.queryOf(selection), query);
    assert.deepEqual(page.selectionOf(query), selection, query);
  }
  for (const unknown of ["autre=1", "statut=autre", "avancement=2", "nouveautes=0", "tri=autre", "tri=toString", "document="]) assert.deepEqual(page.selectionOf(unknown), page.noFilters, unknown);
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

test("each filter of the dashboard", () => {
  const rows = [
    row("A", { statut: "Complet", completion: 100, nomTiers: "Lefèvre", nomDossier: "Achat", piecesAttendues: [{ statut: "Validé" }, { statut: "validé" }] }),
    row("B", { completion: 50, numeroPret: "P-2", deposeeDepuisDerniereConsultation: true, piecesAttendues: [{ statut: "Attendu" }, { statut: "Inconnu" }] }),
  ];
  assert.deepEqual([...rows[0].kinds], [["validated", 2]]);
  assert.deepEqual([...rows[1].kinds], [["expected", 1], ["Inconnu", 1]]);
  const cases = [
    [{}, "AB"], [{ state: "complete" }, "A"], [{ state: "under-way" }, "B"], [{ step: 2 }, "B"], [{ step: 5 }, "A"], [{ step: 0 }, ""],
    [{ kind: "validated" }, "A"], [{ kind: "Inconnu" }, "B"], [{ kind: "rejected" }, ""], [{ onlyNew: true }, "B"],
    [{ search: "LEFEVRE" }, "A"], [{ search: "lefèvre  achat" }, "A"], [{ search: " \t" }, "AB"], [{ search: "chloé durand" }, "B"], [{ search: "Durand Chloé" }, "B"],
    [{ search: "durand p-2 b t1 prêt" }, "B"], [{ search: "achat p-2" }, ""], [{ search: "achatp" }, ""], [{ search: "chloe", state: "complete", onlyNew: true }, ""],
  ];
  for (const [filters, ids] of cases) {
    assert.equal(page.select(rows, { ...page.noFilters, ...filters }).map(({ id }) => id).join(""), ids, JSON.stringify(filters));
    assert.equal(page.isUnfiltered({ ...page.noFilters, ...filters }), Object.keys(filters).length === 0, JSON.stringify(filters));
  }
  assert.equal(page.isUnfiltered({ ...page.noFilters, order: "name" }), true);
});

test("each step of completion, to its edges", () => {
  const completions = [[0, 0], [0.4, 1], [1, 1], [25.4, 1], [25.5, 2], [26, 2], [50, 2], [51, 3], [75.49, 3], [75.5, 4], [76, 4], [99.99, 4], [100, 5]];
  for (const [completion, step] of completions) assert.equal(page.stepOf(row("A", { completion })), step, String(completion));
});

test("decimals keep every digit from the answer to the page", async () => {
  const text = '{"a":12345678901234567.89,"b":0.1,"c":1e2,"d":150000.00,"e":-0.000000000000000000001}';
  const value = await page.wholeValue(new Response(text));
  assert.deepEqual(value, { a: "12345678901234567.89", b: 0.1, c: "1e2", d: "150000.00", e: "-0.000000000000000000001" });
  assert.equal(page.amount(value.a).replace(/\s/g, " "), "12 345 678 901 234 567,89 €");
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

test("the next attempt is after Retry-After, or after twice the delay", () => {
  const fault = (status, retryAfter) => new page.ServiceError(status, "", null, retryAfter);
  for (const status of [429, 502, 503, 504]) {
    assert.deepEqual([7, 1, 0, 120].map((seconds) => page.retryDelay(fault(status, seconds), 3)), [7, 1, 1, 120], String(status));
    assert.deepEqual([0, 1, 3, 4, 9].map((attempt) => page.retryDelay(fault(status, null), attempt)), [2, 4, 16, 30, 30], String(status));
  }
  assert.deepEqual([0, 4].map((attempt) => page.retryDelay(new page.NoAnswerError(), attempt)), [2, 30]);
  for (const never of [fault(500, 7), fault(404, 7), fault(403, null), new TypeError("the answer broke off")]) assert.equal(page.retryDelay(never, 0), null);
});

test("a request has the session's token and the language", async (t) => {
  const requests = [];
  t.mock.method(globalThis, "fetch", async (url, options) => (requests.push([url.href, options]), new Response('{"a":1}')));
  page.session.value = null;
  assert.deepEqual(await page.requestJson("api/a", { method: "PUT", body: "b" }), { a: 1 });
  page.session.value = { token: "abc", how: "token" };
  await page.request("api/a", { headers: { "If-Match": "x" } });
  page.session.value = null;
  assert.deepEqual(requests, [
    ["https://portal.test/api/a", { method: "PUT", body: "b", headers: { "Accept-Language": "fr" }, credentials: "omit" }],
    ["https://portal.test/api/a", { headers: { "Accept-Language": "fr", Authorization: "Bearer abc", "If-Match": "x" }, credentials: "omit" }],
  ]);
});

test("a refused token ends the session, other errors do not", async (t) => {
  let answer;
  const { mock } = t.mock.method(globalThis, "fetch", async () => answer());
  const error = (status) => () => new Response('{"error":{"message":"Refusé","details":"parce que"}}', { status });
  page.session.value = { token: "abc", how: "token" };
  answer = error(403);
  await assert.rejects(page.request("a"), { status: 403, message: "Refusé", details: "parce que", retryAfter: null, isTemporary: false });
  assert.equal(page.session.value?.token, "abc");
  answer = () => new Response("<html>", { status: 502, statusText: "Bad Gateway" });
  await assert.rejects(page.request("a"), { status: 502, message: "502 Bad Gateway", details: null, isTemporary: true });
  answer = () => { throw new TypeError("network"); };
  await assert.rejects(page.request("a"), (thrown) => thrown instanceof page.NoAnswerError);
  await assert.rejects(page.request("a", { signal: AbortSignal.abort() }), { name: "TypeError", message: "network" });
  assert.equal(page.session.value?.token, "abc");
  answer = error(401);
  await assert.rejects(page.request("a"), { status: 401 });
  assert.deepEqual([page.session.value, page.sessionEnd.value], [null, { how: "refused", text: null }]);
  page.session.value = { token: "abc", how: "persona" };
  await assert.rejects(page.request("a"), { status: 401 });
  assert.deepEqual([page.session.value, page.sessionEnd.value], [null, { how: "ended", text: "Refusé" }]);
  assert.equal(mock.callCount(), 6, "none is sent again");
  for (const [challenge, reason] of [[null, null], ["Bearer", null], ['Bearer error="invalid_token", error_description="the token has expired"', "the token has expired"],
    ['Bearer error_description=""', ""]]) {
    assert.equal(page.reasonOf(challenge), reason);
  }
});

test("pasted tokens", () => {
  for (const pasted of ["a.b-c_d", " a.b-c_d\n", "Bearer a.b-c_d", "authorization: bearer  a.b-c_d", "Authorization : Bearer a.b-\n  c_d", '"a.b-c_d"', "« a.b-c_d »",
    "“Bearer a.b-c_d”", "`a.b-c_d`", "‘a.b-c_d’", "„a.b-c_d“", "'Authorization:a.b-c_d'"]) {
    assert.equal(page.tokenIn(pasted), "a.b-c_d", pasted);
  }
  for (const [pasted, token] of [["", ""], ["Bearer", ""], ["Bearer ", ""], ["Bearers", "Bearers"], ["a Bearer b", "aBearerb"]]) assert.equal(page.tokenIn(pasted), token, pasted);
  assert.equal(page.invalidCharacterIn("azAZ09._~+/=-"), undefined);
  for (const character of ["é", "…", "😀", ",", "!", " "]) assert.equal(page.invalidCharacterIn(`a${character}b,`), character);
});

test("addresses of sections", () => {
  const cases = [
    ["", null, null], ["#", null, null], ["#/", null, null], ["#/dossiers", "bundles", null], ["#dossiers", "bundles", null], ["#/dossiers/", "bundles", null],
    ["#/dossiers/L-1%2F2", "bundles", "L-1/2"], ["#/dossiers/%E0", "bundles", "%E0"], ["#/tableau-de-bord", "dashboard", null],
    ["#/documents", "mail-objects", null], ["#/dossiers/a/b", "unknown", null], ["#/autre", "unknown", null], ["#/bundles", "unknown", null],
    ["#/tableau-de-bord?tri=client&recherche=a/b?c", "dashboard", null, "tri=client&recherche=a/b?c"], ["#/?a", null, null, "a"],
    ["#/tableau-de-bord/L-1?a", "dashboard", "L-1", "a"],
  ];
  for (const [hash, section, id, query = ""] of cases) {
    location.hash = hash;
    listeners.hashchange();
    assert.deepEqual(page.route.value, { section, id, query }, hash);
  }
  assert.deepEqual([page.addressOf("dashboard"), page.addressOf("bundles", "L/1"), page.addressOf("bundles", ""), page.addressOf("dashboard", undefined, "a=1")],
    ["#/tableau-de-bord", "#/dossiers/L%2F1", "#/dossiers/", "#/tableau-de-bord?a=1"]);
});

test("a section is left and found again with its query, in one session", (t) => {
  const go = (hash) => {
    location.hash = hash;
    listeners.hashchange();
  };
  const replaced = [];
  globalThis.history = { replaceState: (state, title, address) => (replaced.push(address), (location.hash = address)) };
  t.after(() => delete globalThis.history);
  page.session.value = { token: "abc", how: "token" };
  go("#/tableau-de-bord");
  page.replaceQuery("dashboard", "tri=client");
  assert.deepEqual([page.route.value, replaced], [{ section: "dashboard", id: null, query: "tri=client" }, ["#/tableau-de-bord?tri=client"]]);
  go("#/tableau-de-bord/L-1");
  assert.equal(page.lastAddressOf("dashboard"), "#/tableau-de-bord?tri=client");
  assert.equal(page.lastAddressOf("bundles"), "#/dossiers");
  page.session.value = null;
  assert.equal(page.lastAddressOf("dashboard"), "#/tableau-de-bord");
});

test("the lender's form for a piece has percent-encoded identifiers, and is no script", () => {
  const cases = [
    ["https://deposit.test/{bundle}?p={piece}&b={bundle}#{piece}", "https://deposit.test/L%2F1%20%26?p=%C3%A9%23&b=L%2F1%20%26#%C3%A9%23"],
    ["http://127.0.0.1/", "http://127.0.0.1/"], ["javascript:alert('{piece}')", null], [" javascript:alert(1)", null], ["data:text/html,x", null], ["/form", null], ["", null],
    [undefined, null],
  ];
  for (const [depositUrl, expected] of cases) {
    page.portalSettings.value = { depositUrl };
    assert.equal(page.depositUrlOf("L/1 &", "é#"), expected, depositUrl);
  }
  page.portalSettings.value = { signIn: null, personas: [] };
});

test("the addresses and telephone numbers of a contact are links", () => {
  const cases = [
    ["https://lender.test/contact", [["https://lender.test/contact", "https://lender.test/contact"]]], ["help@lender.test", [["help@lender.test", "mailto:help@lender.test"]]],
    ["Appelez le 01 02 03 04 05.", [["Appelez le ", null], ["01 02 03 04 05", "tel:0102030405"], [".", null]]],
    ["+33 (0)1 02-03.04\u00a005, 9h-18h", [["+33 (0)1 02-03.04\u00a005", "tel:+33102030405"], [", 9h-18h", null]]],
    ["0102030405 (9-18)", [["0102030405", "tel:0102030405"], [" (9-18)", null]]],
    ["Write to help@lender.test, or see (https://lender.test/a?b=c).", [["Write to ", null], ["help@lender.test", "mailto:help@lender.test"], [", or see (", null],
      ["https://lender.test/a?b=c", "https://lender.test/a?b=c"], [").", null]]],
    ...["http://lender.test/", "javascript:alert(1)", "javascript:a@b", "SIREN 552 100 554", "Agence 75001, 12/01/2024", "3 rue des Lilas"].map((text) => [text, [[text, null]]]),
    ["", []],
  ];
  for (const [contact, parts] of cases) assert.deepEqual(page.partsOfContact(contact).map(({ text, link }) => [text, link]), parts, contact);
});

test("statuses of pieces, in any spelling, and what the client does next", () => {
  const cases = [
    ["Attendu", "expected", "provide", "redo"], ["ATTENDU", "expected", "provide", "redo"], ["Rejeté", "rejected", "redo", "redo"], ["Déposé", "deposited", null, "redo"],
    ["depose", "deposited", null, "redo"], ["Validé", "validated", null, null], ["Dérogé", "derogated", null, null], ["dérogée", "derogated", null, null],
    ["Autre", "Autre", null, "redo"], ["", "", null, "redo"],
  ];
  for (const [statut, kind, next, nextWithReason] of cases) {
    assert.deepEqual([page.kindOf(statut), page.nextStep({ statut }), page.nextStep({ statut, motif: "flou" })], [kind, next, nextWithReason], statut);
    assert.equal(page.refusal({ statut, motif: "flou" }), nextWithReason === "redo" ? "flou" : null, statut);
    assert.equal(page.refusal({ statut, motif: "" }), null, statut);
  }
  assert.equal(page.kindOf("A\u0300 ve\u0301rifier"), "\u00c0 v\u00e9rifier", "one kind, composed or not");
  assert.deepEqual([page.isKind("expected"), page.isKind("Autre")], [true, false]);
  assert.deepEqual([page.nameOfKind("Autre"), page.nameOfKind("validated")], ["Autre", page.words.value.kinds.validated]);
  assert.deepEqual([page.isComplete({ statut: "Complet" }), page.isComplete({ statut: "En cours" })], [true, false]);
});

test("one rule decides which pieces are rejected: in the counts, the filter, the list of reasons and the groups", () => {
  const piece = (statut, motif = null) => ({ statut, motif, objetCourrier: { description: statut } });
  const pieces = [piece("Rejeté", "flou"), piece("Rejeté"), piece("Attendu", "page 2"), piece("Attendu"), piece("Déposé", "coupé"), piece("Validé", "ancien")];
  const found = row("A", { erreur: "non", piecesAttendues: pieces });
  assert.deepEqual([...found.kinds], [["rejected", 4], ["expected", 1], ["validated", 1]]);
  assert.deepEqual(found.refusals, ["Rejeté – flou", "Rejeté", "Attendu – page 2", "Déposé – coupé"]);
  assert.deepEqual(page.byKind(pieces).map(([kind, group]) => [kind, group.length]), [["expected", 1], ["rejected", 4], ["validated", 1]]);
  assert.deepEqual(page.select([found, row("B", { piecesAttendues: [piece("Attendu")] })], { ...page.noFilters, kind: "rejected" }), [found]);
});

test("pieces by kind, unknown statuses last", () => {
  const pieces = ["Zone", "Validé", "Autre", "Attendu", "validé", "Rejeté", "Dérogé", "Déposé"].map((statut, id) => ({ statut, id }));
  assert.deepEqual(page.byKind(pieces).map(([kind, found]) => [kind, found.map(({ id }) => id)]),
    [["expected", [3]], ["rejected", [5]], ["deposited", [7]], ["validated", [1, 4]], ["derogated", [6]], ["Autre", [2]], ["Zone", [0]]]);
});

test("days, percentages and counts", () => {
  assert.equal(page.day("2024-01-15T00:30:00+01:00"), "15 janv. 2024");
  assert.equal(page.day("2024-01-15T23:30:00-05:00"), "15 janv. 2024");
  assert.deepEqual([0, 0.01, 66.4, 66.5, 99.99, 100].map((value) => page.percent(value).replace(/\s/g, " ")), ["0 %", "1 %", "66 %", "67 %", "99 %", "100 %"]);
  assert.equal(page.count(1234567).replace(/\s/g, " "), "1 234 567");
  assert.equal(page.amount(1500).replace(/\s/g, " "), "1 500,00 €");
  assert.equal(page.numericDay("2024-01-05T23:30:00-05:00"), "05/01/2024");
  page.language.value = "en";
  assert.deepEqual([page.day("2024-01-15T00:30:00Z"), page.numericDay("2024-01-15T00:30:00Z"), page.percent(66.6), page.amount("0.1")],
    ["15 Jan 2024", "15/01/2024", "67%", "€0.10"], "the days of the reader's region, France");
  page.language.value = "fr";
});

test("each refusal of a token has a reason in French, and a meaning for users", async () => {
  const table = await readFile(new URL("../../core/http/reason_table.hpp", import.meta.url), "utf8");
  const reasons = [...table.matchAll(/ 401, "([^"]+)"/g)].map(([, reason]) => reason);
  assert.equal(reasons.length, 35);
  page.language.value = "fr";
  assert.deepEqual(Object.keys(page.words.value.tokenReasons), reasons);
  const found = reasons.map(page.refusalOf);
  assert.deepEqual(["expired", "early", "damaged", "foreign", "other"].map((refusal) => found.filter((each) => each === refusal).length), [1, 1, 8, 8, 17]);
  assert.deepEqual(["The token has expired", "The token is not valid yet (nbf)", "The token has no signature", "The token is not meant for this service (aud)",
    "The token has no expiry (exp)", "", null].map(page.refusalOf), ["expired", "early", "damaged", "foreign", "other", "other", "other"]);
});

test("no line breaks before French punctuation", () => {
  const texts = [];
  const collect = (value) => {
    if (typeof value === "function") collect(value("x", "y"));
    else if (typeof value === "object") Object.values(value).forEach(collect);
    else texts.push(value);
  };
  page.language.value = "fr";
  collect(page.words.value);
  assert.ok(texts.length > 100);
  assert.deepEqual(texts.filter((text) => / [:;?!»%€]|« |\d s\b/.test(text)), []);
  assert.deepEqual(texts.filter((text) => text.includes("'")), [], "one kind of apostrophe");
  assert.ok(texts.some((text) => text.includes("«\u00a0")));
});
