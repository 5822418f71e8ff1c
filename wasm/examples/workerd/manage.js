// The management interface, over the same KV namespace: a worker of its own, for operators, without a route on the internet.
import { createManagement } from "./portail/entries/management_workerd.js";
import { cloudflareKvStore } from "./portail/stores/cloudflare_kv.js";

let management; // created by the first request, as in worker.js

export default {
  async fetch(request, env, context) {
    management ??= createManagement({
      store: cloudflareKvStore(env.VALUES),
      settings: env,
      trustForwarding: env.PORTAIL_TRANSPORT === "forwarded",
    });
    const answer = await (await management).fetch(request);
    context.waitUntil((await management).idle()); // it may fetch keys
    return answer;
  },
};
