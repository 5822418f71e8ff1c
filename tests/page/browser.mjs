// Headless Chromium, and helpers shared by the tests of the page. TEST_PAGE_TOOLS is the directory with playwright-core and axe-core.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const tools = createRequire(pathToFileURL(`${process.env.TEST_PAGE_TOOLS}/package.json`));
const { chromium } = tools("playwright-core");
const axe = readFileSync(tools.resolve("axe-core/axe.min.js"), "utf8");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--force-prefers-reduced-motion"];

export const phone = { width: 390, height: 844 };
export const desktop = { width: 1280, height: 800 };
export const sizes = { phone, desktop };

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.chromium = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: flags, headless: true });
    return browser;
  }

  /** Opens a page in an isolated profile. Its uncaught exceptions and console errors are collected in `errors`. */
  async open(url, { viewport = desktop, locale = "fr-FR", ...options } = {}) {
    const context = await this.chromium.newContext({ viewport, locale, ignoreHTTPSErrors: true, ...options });
    const page = await context.newPage();
    page.errors = [];
    page.on("pageerror", (error) => page.errors.push(String(error)));
    page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
    await page.goto(url);
    return page;
  }

  close() {
    return this.chromium.close();
  }
}

/** The button of a persona, in any language. */
export function personaButton(page, persona) {
  return page.locator(`.personas button[value="${persona}"]`);
}

/** Signs in as a persona of a development portal. */
export async function become(page, persona) {
  await personaButton(page, persona).click();
}

/** Makes the page's access to browser storage throw from the next visit on, like a browser that blocks site data. */
export function blockSiteData(page) {
  return page.addInitScript(() => {
    const get = () => {
      throw new DOMException("site data are blocked", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get });
  });
}

/** Waits until the page is at an address: the browser reports a change that the page makes some time after the page shows it. */
export function isAt(page, address) {
  return page.waitForURL((url) => url.href === address);
}

/** Asserts that axe finds no violation in the page. */
export async function assertAccessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  const messages = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join("\n")}`);
  assert.deepEqual(messages, []);
}

/** Asserts that the page does not scroll horizontally. */
export async function assertFits(page) {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `the page is ${content} px wide, the window ${window}`);
}

/** Presses Tab until a control named `name` has the focus. After the last control the document has it, with the page's text as its name. */
export async function tabTo(page, name) {
  for (let steps = 0; steps < 200; steps += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element.matches("a, button, input, select, textarea, summary")) return "";
      return element.getAttribute("aria-label") ?? element.labels?.[0]?.innerText ?? element.innerText ?? "";
    });
    if (focused.toLowerCase().includes(name.toLowerCase())) return;
  }
  assert.fail(`the Tab key does not reach ${name}`);
}

/** Returns the contrast of two computed colours without transparency (WCAG 2, "contrast ratio"). */
export function contrast(first, second) {
  const [a, b] = [first, second].map((colour) => {
    const parts = colour.match(/[\d.]+/g).map((part) => part / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  });
  return Math.max(a, b) / Math.min(a, b);
}
