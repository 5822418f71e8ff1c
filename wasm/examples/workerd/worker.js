// The portal in a worker, over the KV namespace that is bound to VALUES.
import { createPortail } from "./portail/entries/workerd.js";
import { withPage } from "./portail/page.js";
import { cloudflareKvStore } from "./portail/stores/cloudflare_kv.js";

let portail; // created by the first request: before it, a worker must not generate random bytes

export default {
  async fetch(request, env, context) {
    portail ??= createPortail({
      store: cloudflareKvStore(env.VALUES),
      settings: env,
      trustForwarding: env.PORTAIL_TRANSPORT === "forwarded",
    }).then(withPage);
    const answer = await (await portail).fetch(request);
    context.waitUntil((await portail).idle()); // it may fetch keys
    return answer;
  },
};
