// Runs ABP's proxy generator with the API definition of a running portal, and compiles and uses its output.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { shownFiles } from "./shown_files.mjs";

const { PORTAIL_URL: portal, PORTAIL_ADMINISTRATOR: administrator } = process.env;
const require = createRequire(import.meta.url);
const { Tree } = require("@angular-devkit/schematics");
const { SchematicTestRunner } = require("@angular-devkit/schematics/testing");
const ts = require("typescript");

// Compilers and Node resolve packages from the directory of a file.
const folder = join(import.meta.dirname, `.proxies-${process.pid}`);
const generated = new Map();

before(async () => {
  const workspace = Tree.empty();
  const application = { projectType: "application", root: "", sourceRoot: "src", prefix: "app", architect: {} };
  workspace.create("/angular.json", JSON.stringify({ version: 1, projects: { app: application } }));
  workspace.create(
    "/src/environments/environment.ts",
    `export const environment = { production: true, apis: { default: { url: "", rootNamespace: "PortailClients" } } };`,
  );
  const runner = new SchematicTestRunner("abp", require.resolve("@abp/ng.schematics/collection.json"));
  const options = { module: "app", apiName: "default", source: "app", target: "app", url: portal };
  const tree = await runner.runSchematic("proxy-add", options, workspace);
  const proxies = "/src/app/proxy/";
  for (const file of tree.files) {
    if (file.startsWith(proxies) && file.endsWith(".ts")) generated.set(file.slice(proxies.length), tree.readContent(file));
  }
  for (const [name, text] of generated) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("a service and its models for each of the portal's two parts", () => {
  assert.deepEqual([...generated.keys()].sort(), [
    "index.ts",
    "liasses/index.ts",
    "liasses/liasse.service.ts",
    "liasses/models.ts",
    "objets-courrier/index.ts",
    "objets-courrier/models.ts",
    "objets-courrier/objet-courrier.service.ts",
  ]);
  assert.match(generated.get("objets-courrier/models.ts"), /GetObjetsCourrierInput extends PagedAndSortedResultRequestDto \{\s+filter\?: string;/);
  assert.match(generated.get("objets-courrier/models.ts"), /lienFichier\?: string \| null;/);
});

test("they compile, strictly, and so does what the tutorial shows", () => {
  const shown = shownFiles();
  assert.deepEqual([...shown.keys()], [
    "src/environments/environment.ts",
    "src/app/app.config.ts",
    "src/app/mail-objects.component.ts",
    "src/app/app.ts",
    "src/app/tagged-mail-objects.ts",
  ]);
  const copies = [...shown].map(([path, text]) => {
    const name = path.split("/").at(-1);
    writeFileSync(join(folder, name), text.replace("./proxy/", "./").replace("../environments/", "./"));
    return name;
  });
  writeFileSync(
    join(folder, "use.ts"),
    `import { ObjetCourrierService } from "./objets-courrier";
     import { LiasseService } from "./liasses";
     import type { Observable } from "rxjs";
     export function use(mailObjects: ObjetCourrierService, bundles: LiasseService) {
       const total: Observable<{ totalCount?: number; items?: { typeObjet: string }[] }> = mailObjects.getList({ maxResultCount: 5, sorting: "typeObjet", filter: "a" });
       const file: Observable<Blob> = mailObjects.getFichierModele(1);
       const amounts: Observable<{ montantOpportunite: number }[]> = bundles.getList();
       return [total, file, amounts];
     }`,
  );
  const program = ts.createProgram([...generated.keys(), "use.ts", ...copies].map((name) => join(folder, name)), {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ES2022,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: [],
  });
  const faults = ts.getPreEmitDiagnostics(program).map((fault) => ts.flattenDiagnosticMessageText(fault.messageText, "\n"));
  assert.deepEqual(faults, []);
});

test("the service of the mail objects asks the portal, and is answered", async () => {
  await import("@angular/compiler");
  const { Injector } = await import("@angular/core");
  const { RestService } = await import("@abp/ng.core");
  const name = "objets-courrier/objet-courrier.service.ts";
  const { outputText } = ts.transpileModule(generated.get(name), {
    compilerOptions: { experimentalDecorators: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
  });
  const script = join(folder, name.replace(/ts$/, "mjs"));
  writeFileSync(script, outputText);
  const { ObjetCourrierService } = await import(pathToFileURL(script));

  // A minimal RestService of ABP, without Angular's HTTP client.
  const rest = {
    async request({ method, url, params = {}, body }) {
      const target = new URL(url, portal);
      for (const [key, value] of Object.entries(params)) if (value !== undefined) target.searchParams.set(key, value);
      const headers = { Authorization: `Bearer ${administrator}`, "Content-Type": "application/json" };
      const answer = await fetch(target, { method, headers, body: body && JSON.stringify(body) });
      assert.ok(answer.ok, `${method} ${url}: ${answer.status}`);
      return answer.json();
    },
  };
  const injector = Injector.create({ providers: [ObjetCourrierService, { provide: RestService, useValue: rest }] });
  const mailObjects = injector.get(ObjetCourrierService);
  const { totalCount, items } = await mailObjects.getList({ sorting: "id desc", filter: "avis", maxResultCount: 1 });
  assert.ok(totalCount > 1);
  const [{ id, utilisablePourLiasse }] = items;
  const input = { utilisablePourLiasse: !utilisablePourLiasse, typeAffectation: "Optionnel" };
  await mailObjects.update(id, input);
  const { typeAffectation } = await mailObjects.get(id);
  assert.equal(typeAffectation, "Optionnel");
  assert.equal((await mailObjects.getListAll()).find((each) => each.id === id).utilisablePourLiasse, input.utilisablePourLiasse);
});
