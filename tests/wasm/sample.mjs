// The sample portal of run_node_tests.py: its settings, its values, and a token of each persona.
import { readFileSync } from "node:fs";

const { settings, tokens, values: stored } = JSON.parse(readFileSync(process.env.TEST_SAMPLE, "utf8"));

const values = () => new Map(stored.map(({ key, value }) => [key, new Uint8Array(Buffer.from(value, "base64"))]));
// A third party with a long last name, which each of its bundles repeats.
const lengthened = (value) => new Uint8Array(Buffer.from(Buffer.from(value).toString().replace('\t"', `\t"${"x".repeat(2500)}`)));

export const sample = {
  settings,
  tokens,
  /** A new Map of all values. */
  values,
  /** The same, with a dashboard that is over 512 KiB, so that it is sent in pieces. */
  valuesWithLongLists: () => new Map([...values()].map(([key, value]) => [key, key.startsWith("tiers.") ? lengthened(value) : value])),
};
