// The OpenAPI viewer: its requests, its width on a phone, its search, and a request with a token.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFits, contrast, isAt } from "./browser.mjs";
import { setUp } from "./set_up.mjs";

const { browser, portal } = await setUp();
const viewer = new URL("/swagger/index.html", portal.url).href;

const narrow = { viewport: { width: 375, height: 800 } };
const operations = (page) => page.locator(".opblock");

test("it loads nothing from other origins, and keeps to its policy", async () => {
  const page = await browser.open("about:blank");
  const requestedUrls = [];
  page.on("request", (request) => requestedUrls.push(request.url()));
  const answer = await page.goto(viewer);
  await operations(page).first().waitFor();
  assert.match(answer.headers()["content-security-policy"], /^default-src 'none'; script-src 'self'; style-src 'self'; /);
  assert.deepEqual(requestedUrls.filter((url) => !url.startsWith(new URL(portal.url).origin) && !url.startsWith("data:")), []);
  assert.deepEqual(page.errors, []);
});

test("it is dark if the system or the selected theme is", async () => {
  const page = await browser.open(viewer, { colorScheme: "dark" });
  const ground = () => page.evaluate(() => getComputedStyle(document.querySelector(".swagger-ui")).backgroundColor);
  await operations(page).first().waitFor();
  assert.equal(await ground(), "rgb(28, 32, 34)");
  await page.evaluate(() => localStorage.setItem("portail.theme", "light"));
  await page.reload();
  await operations(page).first().waitFor();
  assert.equal(await ground(), "rgba(0, 0, 0, 0)");
  assert.deepEqual(page.errors, []);
});

test("the labels of methods are readable, light and dark", async () => {
  const methods = ["get", "put", "post", "delete", "patch"];
  const paths = { "/a": Object.fromEntries(methods.map((method) => [method, { responses: {} }])), "/b": { post: { deprecated: true, responses: {} } } };
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.open("about:blank", { colorScheme });
    await page.route("**/swagger.json", (route) => route.fulfill({ json: { openapi: "3.0.1", info: { title: "Methods", version: "1" }, paths } }));
    await page.goto(viewer);
    await operations(page).nth(5).waitFor();
    for (const method of [...methods, "deprecated"]) {
      const label = page.locator(`.opblock-${method} .opblock-summary-method`);
      assert.equal(await page.locator(`.opblock-${method}`).evaluate((element) => getComputedStyle(element).opacity), "1");
      const [text, ground] = await label.evaluate((element) => [getComputedStyle(element).color, getComputedStyle(element).backgroundColor]);
      assert.ok(contrast(text, ground) >= 4.5, `${colorScheme} ${method}: ${contrast(text, ground)}`);
    }
  }
});

test("the header's texts have a contrast of 4.5:1, light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.open(viewer, { colorScheme });
    await operations(page).first().waitFor();
    for (const selector of [".btn.authorize", ".btn.authorize svg", ".title small", ".title small.version-stamp", ".info__license a", ".info a.link", "nav a"]) {
      const [text, ground] = await page.locator(selector).first().evaluate((element) => {
        const isOpaque = (colour) => !/^rgba.*, 0\)$/.test(colour);
        let painted = element;
        while (painted && !isOpaque(getComputedStyle(painted).backgroundColor)) painted = painted.parentElement;
        const inner = element.querySelector("pre, span") ?? element;
        return [getComputedStyle(inner).color, painted ? getComputedStyle(painted).backgroundColor : "rgb(255, 255, 255)"];
      });
      assert.ok(contrast(text, ground) >= 4.5, `${colorScheme} ${selector}: ${text} on ${ground}: ${contrast(text, ground)}`);
    }
  }
});

test("the search shows its whole hint on a phone", async () => {
  const page = await browser.open(viewer);
  const field = page.locator(".operation-filter-input");
  await field.waitFor();
  for (const width of [1280, 640, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const [hint, room] = await field.evaluate((input) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(input);
      const drawing = document.createElement("canvas").getContext("2d");
      drawing.font = font;
      return [drawing.measureText(input.placeholder).width, input.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)];
    });
    assert.ok(hint <= room, `${width}: ${hint} px in ${room} px`);
    const { x, width: wide } = await field.boundingBox();
    assert.ok(x >= 0 && x + wide <= width, `${width}: from ${x}, ${wide} px`);
    await assertFits(page);
  }
});

test("a link leads back to the portal", async () => {
  const page = await browser.open(viewer);
  await page.getByRole("link", { name: "← Portal" }).click();
  await page.getByRole("heading", { name: "Bienvenue sur votre portail" }).waitFor();
  await isAt(page, portal.url);
});

test("no operation is wider than a phone", async () => {
  const page = await browser.open(viewer, narrow);
  await operations(page).first().waitFor();
  const count = await operations(page).count();
  assert.ok(count >= 16, `${count} operations`);
  for (let number = 0; number < count; ++number) {
    const toggle = page.locator(".opblock-summary-control").nth(number);
    const body = operations(page).nth(number).locator(".opblock-body");
    await toggle.click();
    await body.waitFor();
    await assertFits(page);
    // Opening all of them together takes half a minute.
    await toggle.click();
    await body.waitFor({ state: "detached" });
  }
  assert.deepEqual(page.errors, []);
});

test("the search is over operations", async () => {
  const page = await browser.open(viewer);
  await operations(page).first().waitFor();
  await page.fill(".operation-filter-input", "DASHBOARD-list");
  await operations(page).nth(1).waitFor({ state: "detached" });
  assert.match(await operations(page).innerText(), /\/api\/app\/liasse\/dashboard-list/);
});

test("a request is sent with a token pasted as a complete header", async () => {
  const page = await browser.open(viewer);
  await page.locator("button.authorize").first().click();
  await page.locator(".modal-ux input").fill(`Bearer ${portal.token("client")}`);
  await page.locator(".modal-ux button.authorize").click();
  await page.locator(".modal-ux .btn-done").click();
  const all = page.locator("#operations-ObjetCourrier-listAllMailObjects");
  await all.locator(".opblock-summary-control").click();
  await all.locator("button.execute").click();
  const answer = all.locator(".live-responses-table .response");
  await answer.locator(".microlight").first().waitFor();
  assert.equal(await answer.locator(".response-col_status").first().innerText(), "200");
  assert.match(await answer.innerText(), /"typeObjet"/);
});
