// The sample portal of run_node_tests.py: its settings, its values, and a token of each persona.
import { readFileSync } from "node:fs";

const { settings, tokens, values } = JSON.parse(readFileSync(process.env.PORTAIL_SAMPLE, "utf8"));

export const sample = {
  settings,
  tokens,
  /** A new Map of all values. */
  values: () => new Map(values.map(({ key, value }) => [key, new Uint8Array(Buffer.from(value, "base64"))])),
};
