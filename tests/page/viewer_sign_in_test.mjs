// The viewer's sign-in with a real identity provider, oidc-provider (tests/provider): an authorization code with PKCE, state and nonce.
// TEST_PROVIDER is the provider's directory.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, Browser, isAt } from "./browser.mjs";
import { makeCertificate, Portal } from "./portal.mjs";
import { signInAt, startProvider } from "./provider.mjs";

let browser, portal, provider, issuer, viewer, redirect;
before(async () => {
  portal = await new Portal().start(); // for its port
  await portal.stop();
  makeCertificate(portal.path("provider.pem"), portal.path("provider.key"));
  [provider, issuer] = await startProvider(portal);
  await portal.start(["--issuer", issuer, "--audience", "portail", "--identity-ca", portal.path("provider.pem"), "--page-client", "page",
    "--page-scope", "openid portail", "--page-parameter", "resource=https://portail.test/ES256"]);
  viewer = `${portal.url}swagger/index.html`;
  redirect = `${portal.url}swagger/oauth2-redirect.html`;
  browser = await Browser.start();
});
after(async () => {
  await browser?.close();
  provider?.kill();
  await portal?.remove();
});

const dialog = (page) => page.locator(".auth-container > div").last();

// Opens the viewer, and presses Authorize in the dialog's section of OAuth 2.
async function authorize(page, address = viewer) {
  await page.goto(address);
  await page.locator(".btn.authorize").first().click();
  await dialog(page).getByRole("button", { name: "Apply given OAuth2 credentials" }).click();
}

// Collects the requests that exchange a code.
function exchangesOf(page) {
  const exchanges = [];
  page.on("request", (request) => {
    if (request.url() === `${issuer}/token` && request.method() === "POST") exchanges.push(new URLSearchParams(request.postData()));
  });
  return exchanges;
}

// The texts of all values in the browser's storage.
const stored = (page) => page.evaluate(() => [localStorage, sessionStorage].map((storage) => JSON.stringify(Object.entries(storage))));

test("a user signs in, calls an operation, and signs out", async () => {
  const page = await browser.open("about:blank");
  const exchanges = exchangesOf(page);
  const authorizationRequest = page.waitForRequest((request) => request.url().startsWith(`${issuer}/auth?`));
  await authorize(page, `${viewer}#/ObjetCourrier/listAllMailObjects`);
  const query = new URL((await authorizationRequest).url()).searchParams;
  assert.deepEqual(["client_id", "redirect_uri", "response_type", "scope", "code_challenge_method", "resource"].map((name) => query.get(name)),
    ["page", redirect, "code", "openid portail", "S256", "https://portail.test/ES256"]);
  for (const name of ["code_challenge", "state", "nonce"]) assert.match(query.get(name), /^[\w-]{32,}$/, name);
  await signInAt(page, "sub-client-1");

  const all = page.locator("#operations-ObjetCourrier-listAllMailObjects");
  await all.locator("button.execute").click(); // the operation of the address is open again
  const answer = all.locator(".live-responses-table .response");
  await answer.locator(".microlight").first().waitFor();
  assert.equal(await answer.locator(".response-col_status").first().innerText(), "200");
  await isAt(page, `${viewer}#/ObjetCourrier/listAllMailObjects`); // nothing of the answer stays in it
  assert.equal(exchanges.length, 1);
  assert.equal(exchanges[0].get("grant_type"), "authorization_code");
  assert.match(exchanges[0].get("code_verifier"), /^[\w-]{43,}$/);
  const [local, ofTab] = await stored(page);
  assert.equal(local, "[]");
  assert.match(ofTab, /access_token/);

  await page.locator(".btn.authorize").first().click();
  await dialog(page).getByText("Application: page").waitFor();
  await dialog(page).getByRole("button", { name: "Remove authorization" }).click();
  await dialog(page).getByRole("button", { name: "Apply given OAuth2 credentials" }).waitFor();
  assert.equal(await dialog(page).locator("input:visible[type=text], input:visible[type=password]").count(), 0, "the client is a setting");
  await page.waitForFunction(() => !JSON.stringify(Object.entries(sessionStorage)).includes("access_token"));
});

test("the policy allows the provider's origin only", async () => {
  const page = await browser.open("about:blank");
  for (const address of [viewer, redirect]) {
    const answer = await page.goto(address);
    assert.equal(answer.headers()["content-security-policy"], "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
      `connect-src 'self' ${issuer}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`);
  }
  await page.goto(viewer);
  await page.locator(".opblock").first().waitFor();
  assert.deepEqual(page.errors, []);
});

const failure = (page, reason) => page.getByRole("alert").getByText(`The sign-in has failed: ${reason}`).waitFor();

test("a wrong state is refused, and its code is not exchanged", async () => {
  const page = await browser.open("about:blank");
  const exchanges = exchangesOf(page);
  let changed = 0;
  await page.route(`${issuer}/auth?*`, (route) => {
    const address = new URL(route.request().url());
    address.searchParams.set("state", "another");
    changed += 1;
    return route.fulfill({ status: 302, headers: { Location: address.href } }); // this redirection is not routed
  });
  await authorize(page);
  await signInAt(page, "sub-client-1");
  await failure(page, "No matching state found in storage");
  assert.equal(changed, 1);
  await isAt(page, redirect);
  assert.deepEqual(exchanges, []);
  assert.doesNotMatch((await stored(page))[1], /access_token/);
});

test("an answer is used once", async () => {
  const page = await browser.open("about:blank");
  const exchanges = exchangesOf(page);
  const redirected = page.waitForRequest((request) => request.url().startsWith(`${redirect}?`));
  await authorize(page);
  await signInAt(page, "sub-client-1");
  await page.waitForURL(viewer);
  await page.goto((await redirected).url());
  await failure(page, "No matching state found in storage");
  assert.equal(exchanges.length, 1);
});

test("an ID token with another nonce is refused", async () => {
  const page = await browser.open("about:blank");
  let changed = 0;
  await page.route(`${issuer}/token`, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const [header, claims, signature] = body.id_token.split(".");
    const other = { ...JSON.parse(Buffer.from(claims, "base64url")), nonce: "another" };
    changed += 1;
    body.id_token = [header, Buffer.from(JSON.stringify(other)).toString("base64url"), signature].join(".");
    await route.fulfill({ response: answer, json: body });
  });
  await authorize(page);
  await signInAt(page, "sub-client-1");
  await failure(page, "nonce in id_token does not match nonce in client storage");
  assert.equal(changed, 1);
  assert.doesNotMatch((await stored(page))[1], /access_token/);
});

test("a provider that refuses is quoted", async () => {
  const page = await browser.open("about:blank");
  await authorize(page);
  await page.getByRole("link", { name: "[ Cancel ]" }).click();
  await failure(page, "End-User aborted interaction");
  await assertAccessible(page);
  await page.getByRole("link", { name: "← Interface" }).click();
  await page.locator(".opblock").first().waitFor();
});

test("without the provider's discovery document, the user pastes a token", async () => {
  const page = await browser.open("about:blank");
  let refused = 0;
  await page.route(`${issuer}/.well-known/openid-configuration`, (route) => {
    refused += 1;
    return route.abort();
  });
  await page.goto(viewer);
  await page.locator(".btn.authorize").first().click();
  await page.locator(".modal-ux input").waitFor();
  assert.equal(await page.locator(".modal-ux h4").count(), 1, "bearer only");
  assert.ok(refused >= 1);
});
