// Ports on which a test restarts its server.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";

const held = (address) =>
  new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(undefined));
    server.listen(address, () => resolve(server.unref()));
  });

/**
 * Returns a port that is free now, and that no other test gets until this process ends: as `free_port` of serving.py, by an abstract socket
 * of the same name.
 */
export async function freePort() {
  const [firstGiven] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s/);
  for (;;) {
    const port = randomInt(10_000, Number(firstGiven));
    const reservation = await held({ path: `\0portail-port-${port}` });
    const probe = reservation && (await held({ host: "127.0.0.1", port }));
    if (probe) {
      probe.close();
      await once(probe, "close");
      return port;
    }
    reservation?.close();
  }
}
