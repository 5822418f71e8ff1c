// What most tests of the page begin with.
import { after } from "node:test";
import { Browser } from "./browser.mjs";
import { Portal } from "./portal.mjs";

/** A portal over the sample, which serves, and a browser; both end with the tests of the file. */
export async function setUp() {
  const portal = new Portal();
  try {
    await portal.start();
    const browser = await Browser.start();
    after(async () => {
      await browser.close();
      await portal.remove();
    });
    return { browser, portal };
  } catch (error) {
    await portal.remove();
    throw error;
  }
}
