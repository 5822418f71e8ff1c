// The portal in a worker, over the KV namespace that is bound to VALUES.
import { env } from "cloudflare:workers";
import { createPortail } from "./portail/entries/workerd.js";
import { cloudflareKvStore } from "./portail/stores/cloudflare_kv.js";

const portail = await createPortail({
  store: cloudflareKvStore(env.VALUES),
  settings: env,
  trustForwarding: env.PORTAIL_TRANSPORT === "forwarded",
});

export default { fetch: portail.fetch };
