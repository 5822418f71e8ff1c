// Sign-in with a real identity provider, oidc-provider (tests/provider): an authorization code with PKCE, silent renewal, sign-out.
// TEST_PROVIDER is the provider's directory.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, blockSiteData, Browser, isAt, phone } from "./browser.mjs";
import { makeCertificate, Portal } from "./portal.mjs";
import { signInAt, startProvider } from "./provider.mjs";

let browser, portal, provider, issuer;
before(async () => {
  portal = await new Portal().start(); // for its port
  await portal.stop();
  makeCertificate(portal.path("provider.pem"), portal.path("provider.key"));
  [provider, issuer] = await startProvider(portal);
  await start("ES256");
  browser = await Browser.start();
});
after(async () => {
  await browser?.close();
  provider?.kill();
  await portal?.remove();
});

// Serves with tokens of the provider's resource `resource`: an algorithm, and the tokens' lifetime in seconds.
function start(resource) {
  return portal.start(["--issuer", issuer, "--audience", "portail", "--identity-ca", portal.path("provider.pem"), "--jwks-refresh", "1",
    "--page-client", "page", "--page-scope", "openid portail", "--page-parameter", `resource=https://portail.test/${resource}`]);
}

async function signIn(page, person) {
  await page.getByRole("button", { name: "Se connecter" }).click();
  await signInAt(page, person);
}

const tokenOf = (page) =>
  page.evaluate(() => JSON.parse(Object.entries(sessionStorage).find(([name]) => name.startsWith("oidc.user"))[1]).access_token);

// Waits for the page's next response from that path of the provider.
const answerOf = (page, path) => page.waitForResponse((response) => response.url().startsWith(issuer + path) && response.request().method() === "POST");

test("a client signs in, returns to the same address, and signs out", async () => {
  const page = await browser.open(`${portal.url}#/dossiers/L-2024-0003`, { viewport: phone });
  await page.getByRole("button", { name: "Se connecter" }).waitFor();
  await assertAccessible(page);
  const authorizationRequest = page.waitForRequest((request) => request.url().startsWith(`${issuer}/auth?`));
  const exchanged = answerOf(page, "/token");
  await signIn(page, "sub-client-1");
  const query = new URL((await authorizationRequest).url()).searchParams;
  assert.deepEqual([query.get("response_type"), query.get("code_challenge_method"), query.get("resource")],
    ["code", "S256", "https://portail.test/ES256"]);
  assert.match((await exchanged).request().postData(), /code_verifier=/);
  await page.getByRole("heading", { name: "Rachat de crédits" }).waitFor();
  await isAt(page, `${portal.url}#/dossiers/L-2024-0003`); // nothing of the answer stays in it
  await page.reload();
  await page.getByRole("heading", { name: "Rachat de crédits" }).waitFor();

  await page.getByRole("button", { name: "Se déconnecter" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.getByRole("button", { name: "Se connecter" }).waitFor();
  await isAt(page, portal.url);
  await page.getByRole("button", { name: "Se connecter" }).click();
  await page.locator("[name=login]").waitFor();
});

test("a token is renewed silently before it expires", async () => {
  await portal.stop();
  await start("ES256/63"); // a token is renewed a minute before it expires: soon
  const page = await browser.open(portal.url);
  await signIn(page, "sub-client-1");
  await page.locator(".card").first().waitFor();
  const first = await tokenOf(page);
  await page.waitForFunction((old) => !Object.values(sessionStorage).some((value) => value.includes(old)), first);
  const bundleRequest = page.waitForRequest((request) => request.url().includes("/api/app/liasse/L-2024-0003"));
  await page.getByRole("link", { name: "Rachat de crédits" }).click();
  assert.notEqual(await (await bundleRequest).headerValue("Authorization"), `Bearer ${first}`);
  await page.getByRole("heading", { name: "Rachat de crédits" }).waitFor();
  await portal.stop();
  await start("ES256");
});

test("a refused token is renewed if the provider allows it; otherwise the user signs in again", async () => {
  const page = await browser.open(portal.url);
  await signIn(page, "sub-client-1");
  await page.locator(".card").first().waitFor();
  await changeKeys(page);
  const renewed = answerOf(page, "/token");
  await page.getByRole("link", { name: "Rachat de crédits" }).click();
  await renewed;
  await page.getByRole("heading", { name: "Rachat de crédits" }).waitFor();

  await page.context().clearCookies(); // ends the session with the provider
  await changeKeys(page);
  await page.locator(".back a").click();
  await page.getByRole("alert").getByText("Vous n'êtes pas authentifié !").waitFor();
  await page.getByRole("button", { name: "Se connecter" }).waitFor();
});

test("an edit that is not saved is there after another sign-in", async () => {
  const page = await browser.open(`${portal.url}#/documents`);
  await signIn(page, "sub-client-1");
  const passport = page.getByRole("combobox", { name: "Passeport en cours de validité\u00a0: affectation" });
  await passport.selectOption("Rien");
  await page.context().clearCookies();
  await changeKeys(page);
  await page.getByRole("button", { name: /^Enregistrer/ }).click();
  await page.getByRole("alert").getByText("Vous n'êtes pas authentifié !").waitFor();
  await signIn(page, "sub-client-1");
  await page.getByRole("button", { name: /^Enregistrer/ }).waitFor();
  assert.equal(await passport.inputValue(), "Rien");
});

test("a token refused when the page is opened is renewed; without renewal the manager signs in again", async () => {
  const page = await browser.open(portal.url);
  await signIn(page, "sub-gestionnaire-1");
  const isManager = () => page.locator(".found").getByText("300 dossiers", { exact: true }).waitFor();
  await isManager();
  await changeKeys(page);
  const renewed = answerOf(page, "/token");
  await page.reload();
  await renewed;
  await isManager();
  assert.deepEqual(await page.getByRole("navigation").getByRole("link").allInnerTexts(), ["Mes dossiers", "Tableau de bord"]);

  await page.context().clearCookies();
  await changeKeys(page);
  await page.reload();
  await page.getByRole("alert").getByText("Votre session est terminée. Reconnectez-vous pour continuer.").waitFor();
  await page.getByRole("button", { name: "Se connecter" }).waitFor();
});

// Waits until the portal refuses the page's token.
async function changeKeys(page) {
  const token = await tokenOf(page);
  const { request } = page.context();
  for (const step of ["announce", "rotate", "retire"]) await request.post(`${issuer}/keys/${step}`);
  const ask = () => request.get(`${portal.url}api/app/liasse`, { headers: { Authorization: `Bearer ${token}` } });
  while ((await ask()).status() !== 401);
}

test("a refused sign-in shows the provider's reason", async () => {
  const page = await browser.open(portal.url);
  await page.getByRole("button", { name: "Se connecter" }).click();
  await page.getByRole("link", { name: "[ Cancel ]" }).click();
  const alert = page.getByRole("alert");
  await alert.getByText("End-User aborted interaction").waitFor();
  await alert.getByText("La connexion n’a pas abouti.").waitFor();
  await assertAccessible(page);
  await page.getByRole("button", { name: "Se connecter" }).waitFor();
});

test("without browser storage, sign-in with a provider fails with a message", async () => {
  const page = await browser.open("about:blank");
  await blockSiteData(page);
  await page.goto(portal.url);
  await signIn(page, "sub-client-1");
  await page.getByRole("alert").getByText("La connexion n’a pas abouti.").waitFor();
  await page.getByRole("button", { name: "Se connecter" }).waitFor();
});
