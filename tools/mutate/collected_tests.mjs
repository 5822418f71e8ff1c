// What tests get instead of node:test under judge.mjs: collects them.
export const tests = [];

export function test(name, ...rest) {
  tests.push({ name, run: rest.at(-1) });
}
export default test;
export const after = (end) => void process.once("exit", end);
