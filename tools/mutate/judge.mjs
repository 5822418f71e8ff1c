// Runs tests of node:test in one process, again for each change that they reach: starting Node and the module for each would take long.
//
//   node judge.mjs TEST...
//
// Each line of its input is a request in JSON, which it answers by a line of JSON:
// - { "measure": true, "excluded": NAMES }: the other tests, their milliseconds, and the changes that each reaches.
// - { "change": ID, "tests": [[NUMBER, MILLISECONDS]...] }: runs these tests, each with a time limit, until one fails. The answer has its
//   number, and whether it also fails without the change. Without ID, the change is that of the environment (instrument.mjs). An empty line
//   precedes each test.
import { register } from "node:module";
import { mock } from "node:test";
import { pathToFileURL } from "node:url";
import { createInterface } from "node:readline";
import { tests } from "./collected_tests.mjs";

const { setTimeout, clearTimeout } = globalThis; // tests replace them
const space = (globalThis.__stryker__ ??= {});
let failed = () => {};

// As node:test does: such an error fails the test that runs.
for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, (error) => failed(error));

// Returns the reason why a test fails, or undefined.
async function errorOf({ run }, milliseconds) {
  const tracker = new mock.constructor();
  const ends = [];
  let timer;
  const ended = new Promise((_, reject) => {
    failed = reject;
    timer = setTimeout(() => reject(new Error("timed out")), milliseconds);
  });
  ended.catch(() => {});
  try {
    await Promise.race([(async () => run({ after: (end) => ends.push(end), mock: tracker }))(), ended]);
    await new Promise(setImmediate); // a rejection that is not handled is reported after the test
    for (const end of ends) await end();
    await Promise.race([ended, Promise.resolve()]);
    return undefined;
  } catch (error) {
    for (const end of ends) await Promise.resolve().then(end).catch(() => {});
    return error ?? new Error("failed");
  } finally {
    clearTimeout(timer);
    failed = () => {};
    tracker.reset();
  }
}

async function measure({ excluded }) {
  const coverage = (space.mutantCoverage ??= { static: {}, perTest: {} });
  const measured = [];
  for (const [number, { file, name, ...each }] of tests.entries()) {
    if (excluded.includes(name)) continue;
    space.currentTestId = `${number}`;
    const start = performance.now();
    const error = await errorOf(each, 600_000);
    const milliseconds = performance.now() - start;
    const again = await errorOf(each, 600_000);
    measured.push({ number, file, name, milliseconds, error: error && `${error}`, repeatable: !again, reached: Object.keys(coverage.perTest[number] ?? {}) });
  }
  return { static: Object.keys(coverage.static), tests: measured };
}

async function judge({ change, tests: chosen }) {
  for (const [number, milliseconds] of chosen) {
    console.log();
    if (change) space.activeMutant = change;
    const error = await errorOf(tests[number], milliseconds);
    if (change) space.activeMutant = undefined;
    if (error) return { failed: number, unusable: !change || !!(await errorOf(tests[number], milliseconds)) };
  }
  return { failed: null };
}

const collector = new URL("collected_tests.mjs", import.meta.url).href;
const hook = `export const resolve = (name, context, next) => name === "node:test" ? { url: "${collector}", shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
for (const file of process.argv.slice(2)) {
  const { length } = tests;
  await import(pathToFileURL(file));
  for (const each of tests.slice(length)) each.file = file;
}
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(request.measure ? await measure(request) : await judge(request))}\n`);
}
process.exit();
