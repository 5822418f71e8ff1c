// Runs ABP's unmodified front-end library in an Angular application, against a running portal.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { JSDOM } from "jsdom";
import { shownFiles } from "./shown_files.mjs";

const { PORTAIL_URL: portal, PORTAIL_CLIENT: client, PORTAIL_ADMINISTRATOR: administrator } = process.env;

// Globals of a browser, which Angular needs.
const { window } = new JSDOM("<!doctype html>", { url: "https://front-end.test/" });
globalThis.window = window;
for (const name of ["document", "localStorage", "sessionStorage", "Node", "Event"]) globalThis[name] = window[name];

await import("@angular/compiler");
const { HTTP_INTERCEPTORS } = await import("@angular/common/http");
const { createApplication } = await import("@angular/platform-browser");
const { provideRouter, Router } = await import("@angular/router");
const { firstValueFrom } = await import("rxjs");
const abp = await import("@abp/ng.core");

// Starts ABP's core like a front end: it reads the application configuration and the texts at its start.
async function start(token, language = "en") {
  const signedIn = {
    intercept: (request, next) =>
      next.handle(
        request.clone({
          setHeaders: { "Accept-Language": language, ...(token && { Authorization: `Bearer ${token}` }) },
        }),
      ),
  };
  const environment = { production: true, application: { name: "Portail" }, apis: { default: { url: portal, rootNamespace: "PortailClients" } } };
  const application = await createApplication({
    providers: [
      abp.provideAbpCore(abp.withOptions({ environment, registerLocaleFn: async () => ({}) })),
      provideRouter([]),
      { provide: HTTP_INTERCEPTORS, useValue: signedIn, multi: true },
    ],
  });
  application.injector.get(Router).initialNavigation();
  return { get: (service) => application.injector.get(service), end: () => application.destroy() };
}

let anonymous, signedInApplication, french;
before(async () => {
  anonymous = await start();
  signedInApplication = await start(administrator);
  french = await start(client, "fr-CA");
});
after(() => {
  for (const each of [anonymous, signedInApplication, french]) each.end();
});

test("ConfigStateService has the current user", () => {
  const configuration = anonymous.get(abp.ConfigStateService);
  assert.equal(configuration.getDeep("currentUser.isAuthenticated"), false);
  assert.equal(configuration.getDeep("currentUser.userName"), null);
  const { isAuthenticated, id, userName, name, surName, email, emailVerified, roles } = signedInApplication.get(abp.ConfigStateService).getOne("currentUser");
  assert.deepEqual(
    { isAuthenticated, id, userName, name, surName, email, emailVerified, roles },
    {
      isAuthenticated: true,
      id: "sub-administrateur-1",
      userName: "alice",
      name: "Alice",
      surName: "Martin",
      email: "alice@exemple.fr",
      emailVerified: true,
      roles: ["administrateur"],
    },
  );
});

test("PermissionService grants what the portal grants", () => {
  const permissions = signedInApplication.get(abp.PermissionService);
  assert.equal(permissions.getGrantedPolicy("PortailClients.ObjetsCourrier.Update"), true);
  assert.equal(permissions.getGrantedPolicy("PortailClients.Nothing"), false);
  assert.equal(anonymous.get(abp.PermissionService).getGrantedPolicy("PortailClients.ObjetsCourrier.Update"), false);
});

test("LocalizationService has texts in the language of the session", async () => {
  const localize = (application, key, ...values) => application.get(abp.LocalizationService).instant(key, ...values);
  assert.equal(localize(anonymous, "AbpUi::Cancel"), "Cancel");
  assert.equal(localize(anonymous, "AbpAccount::Password"), "Password");
  assert.equal(localize(french, "AbpUi::Cancel"), "Annuler");
  assert.equal(localize(french, "AbpValidation::ThisFieldMustBeBetween{0}And{1}", "1", "9"), "De 1 à 9.");
  assert.equal(localize(french, "AbpUi::NoSuchText"), "NoSuchText");
  anonymous.get(abp.SessionStateService).setLanguage("fr");
  await firstValueFrom(anonymous.get(abp.LocalizationService).languageChange$);
  assert.equal(localize(anonymous, "AbpUi::Cancel"), "Annuler");
});

test("LocalizationService has the portal's own texts, also by default and from their base resource", () => {
  const localize = (application, key, ...values) => application.get(abp.LocalizationService).instant(key, ...values);
  assert.equal(localize(signedInApplication, "PortailClients::Permission:PortailClients"), "Customer portal");
  assert.equal(localize(signedInApplication, "PortailClients::EntityNotFoundErrorMessage", "Liasse", "7"), "There is no entity Liasse with id = 7!");
  assert.equal(localize(french, "::Permission:Dashboard.Host"), "Voir le tableau de bord");
  assert.equal(localize(french, "PortailClients::PortailClients:ObjetsCourrierNonModifiables"), "Les objets courrier ne peuvent être ni créés ni supprimés !");
  assert.equal(localize(french, "PortailClients::ThisFieldIsRequired."), "Ce champ est nécessaire.");
});

test("SessionStateService has the tenant that the portal is configured for", () => {
  for (const application of [anonymous, signedInApplication]) {
    assert.deepEqual(application.get(abp.SessionStateService).getTenant(), { id: "bank", name: "bank", isAvailable: true });
  }
  assert.equal(signedInApplication.get(abp.ConfigStateService).getDeep("currentUser.tenantId"), "bank");
  assert.equal(anonymous.get(abp.ConfigStateService).getDeep("currentUser.tenantId"), null);
  assert.equal(anonymous.get(abp.ConfigStateService).getDeep("multiTenancy.isEnabled"), false);
});

test("SessionStateService and the languages", () => {
  assert.equal(french.get(abp.SessionStateService).getLanguage(), "fr");
  assert.deepEqual(
    signedInApplication.get(abp.ConfigStateService).getDeep("localization.languages").map(({ cultureName }) => cultureName),
    ["fr", "en"],
  );
});

const request = (application, options, config) => firstValueFrom(application.get(abp.RestService).request(options, config));

test("RestService reads a sorted and filtered page", async () => {
  const page = await request(signedInApplication, {
    method: "GET",
    url: "/api/app/objet-courrier",
    params: { sorting: "typeObjet desc", filter: "avis", skipCount: 0, maxResultCount: 2 },
  });
  assert.ok(page.totalCount >= page.items.length && page.items.length > 0, JSON.stringify(page));
  const types = page.items.map(({ typeObjet }) => typeObjet);
  assert.deepEqual(types, types.toSorted().reverse());
});

// Node resolves packages from the directory of a file.
const folder = mkdtempSync(join(import.meta.dirname, ".shown-"));
after(() => rmSync(folder, { recursive: true }));

// Imports a file that the tutorial shows, after its replacements.
async function imported(path, ...replacements) {
  const ts = createRequire(import.meta.url)("typescript");
  const text = replacements.reduce((all, [from, to]) => {
    assert.ok(all.includes(from), from);
    return all.replace(from, to);
  }, shownFiles().get(path));
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { experimentalDecorators: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
  });
  const file = join(folder, `${path.split("/").at(-1)}.mjs`);
  writeFileSync(file, outputText);
  return import(file);
}

test("the tutorial's application sends the token of its address", async () => {
  await imported("src/environments/environment.ts", ["https://127.0.0.1:8443", portal]);
  globalThis.location = { hash: `#${administrator}` };
  const { appConfig } = await imported("src/app/app.config.ts", ["../environments/environment", "./environment.ts.mjs"]);
  const application = await createApplication(appConfig);
  assert.equal(application.injector.get(abp.ConfigStateService).getDeep("currentUser.userName"), "alice");
  assert.equal(application.injector.get(abp.PermissionService).getGrantedPolicy("PortailClients.ObjetsCourrier.Update"), true);
  application.destroy();
  delete globalThis.location;
});

test("the tutorial's service notices a change by another user", async () => {
  const { TaggedMailObjects } = await imported("src/app/tagged-mail-objects.ts");
  const objects = signedInApplication.get(TaggedMailObjects);
  const mine = await firstValueFrom(objects.read(7));
  const theirs = await firstValueFrom(objects.read(7));
  const usable = !mine.object.utilisablePourLiasse;
  const saved = await firstValueFrom(objects.update(theirs, { utilisablePourLiasse: usable, typeAffectation: "Optionnel" }));
  assert.deepEqual([saved.object.utilisablePourLiasse, saved.object.typeAffectation], [usable, "Optionnel"]);
  await assert.rejects(firstValueFrom(objects.update(mine, { utilisablePourLiasse: !usable, typeAffectation: "Rien" })), { status: 412 });
  assert.notEqual(saved.tag, mine.tag);
  await firstValueFrom(objects.update(saved, { utilisablePourLiasse: !usable, typeAffectation: "Rien" }));
});

test("a refusal reaches ABP's error handler in its own format", async () => {
  const reporter = signedInApplication.get(abp.HttpErrorReporterService);
  const reported = async (application, options) => {
    const error = firstValueFrom(application.get(abp.HttpErrorReporterService).reporter$);
    await assert.rejects(request(application, options));
    return await error;
  };
  const invalid = await reported(signedInApplication, { method: "GET", url: "/api/app/objet-courrier", params: { maxResultCount: 0, sorting: "nothing" } });
  assert.equal(invalid.status, 400);
  assert.equal(invalid.headers.get("_AbpErrorFormat"), "true");
  assert.deepEqual(
    invalid.error.error.validationErrors.map(({ members }) => members),
    [["maxResultCount"], ["sorting"]],
  );
  const refused = await reported(french, { method: "PUT", url: "/api/app/objet-courrier/1", body: {} });
  assert.equal(refused.status, 403);
  assert.equal(refused.headers.get("_AbpErrorFormat"), null, "ABP goes to its page for 403 then, not to a dialog");
  const missing = await reported(anonymous, { method: "GET", url: "/api/app/liasse" });
  assert.equal(missing.status, 401);
  assert.equal(reporter.errors.length, 1, "one of this application");
});
