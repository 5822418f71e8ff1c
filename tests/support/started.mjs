// Starts programs for tests.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

// Without the settings of the portal, which the variables of the tests would be.
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PORTAIL_")));

/** Starts a program; returns its process, and the match of `pattern` in a line of its output. */
export async function start(program, flags, pattern, env = clean) {
  const started = spawn(program, flags, { stdio: ["ignore", "pipe", "ignore"], env });
  for await (const line of createInterface({ input: started.stdout })) {
    const found = pattern.exec(line);
    if (found) {
      started.stdout.resume();
      return [started, found];
    }
  }
  throw new Error(`${program} ended before it was ready`);
}

/** Ends a program by SIGTERM, and waits until it has ended. */
export async function stop(started) {
  if (started.exitCode !== null) return;
  const ended = new Promise((resolve) => started.once("exit", resolve));
  started.kill("SIGTERM");
  await ended;
}
