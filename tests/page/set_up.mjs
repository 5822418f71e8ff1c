// The setup shared by most tests of the page.
import { after } from "node:test";
import { Browser } from "./browser.mjs";
import { Portal } from "./portal.mjs";

/** Starts a portal with the sample data, and a browser; both stop after the tests of the file. */
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
