// An isolated portal for the page's tests: the native program with its own store, keys, certificate and the three personas.
// TEST_PROGRAM is the program's path.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free_port.mjs";
import { start, stop } from "../support/started.mjs";

const program = process.env.TEST_PROGRAM;
export const tree = fileURLToPath(new URL("../..", import.meta.url));
export const sample = join(tree, "fixtures/portail.json");
export const personas = JSON.parse(readFileSync(join(tree, "fixtures/personas.json"), "utf8"));
const issuer = "https://issuer.test";
const audience = "portail";

export class Portal {
  #server = null;

  /** Creates a portal and imports `document`. */
  constructor(document = sample) {
    this.folder = mkdtempSync(join(tmpdir(), "portail-page-"));
    this.store = `lmdb:${join(this.folder, "store")}`;
    run("keys", "make", "--alg", "EdDSA", "--kid", "page", "--output", this.path("keys.json"));
    run("keys", "public", "--input", this.path("keys.json"), "--output", this.path("public.json"));
    makeCertificate(this.path("certificate.pem"), this.path("key.pem"));
    this.import(document);
    const personaTokens = personas.map((persona) => ({ ...persona, token: this.token(persona.name) }));
    writeFileSync(this.path("personas.json"), JSON.stringify(personaTokens));
  }

  path(name) {
    return join(this.folder, name);
  }

  import(document) {
    run("import", "--store", this.store, document);
  }

  /** Returns a token of a persona. `lifetime` is in seconds. */
  token(name, lifetime = 3600) {
    const { sub, roles, permissions } = personas.find((persona) => persona.name === name);
    return this.tokenOf(sub, lifetime, [...roles.flatMap((role) => ["--role", role]),
      ...permissions.flatMap((permission) => ["--permission", permission])]);
  }

  expiredToken(name) {
    return this.token(name, -3600);
  }

  tokenOf(subject, lifetime = 3600, flags = []) {
    return run("token", "--keys", this.path("keys.json"), "--issuer", issuer, "--audience", audience, "--lifetime", String(lifetime),
      "--subject", subject, ...flags).trim();
  }

  /** Starts the server on a free port, the same one after a restart. `flags` replace the default ones. */
  async start(flags = this.developmentFlags()) {
    this.port ??= await freePort();
    const [server] = await start(program, ["serve", "--store", this.store, "--listen", `127.0.0.1:${this.port}`, "--tls-cert",
      this.path("certificate.pem"), "--tls-key", this.path("key.pem"), "--queue-timeout", "0", ...flags],
      /listening on https:/, { PATH: process.env.PATH });
    this.#server = server;
    return this;
  }

  developmentFlags() {
    return [...this.flagsWithoutPersonas(), "--page-personas", this.path("personas.json")];
  }

  flagsWithoutPersonas() {
    return ["--issuer", issuer, "--audience", audience, "--jwks", this.path("public.json")];
  }

  get url() {
    return `https://localhost:${this.port}/`;
  }

  async stop() {
    const server = this.#server;
    this.#server = null;
    if (server) await stop(server);
  }

  async remove() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function makeCertificate(certificate, key) {
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "365", "-subj",
    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate], { stdio: "ignore" });
}

function run(...flags) {
  return execFileSync(program, flags, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
