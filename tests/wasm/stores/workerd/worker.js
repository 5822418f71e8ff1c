// The conformance suite over the KV namespace that is bound to VALUES: workerd's own test runner calls `test`.
import { cloudflareKvStore } from "./portail/stores/cloudflare_kv.js";
import { cases } from "./portail/conformance.js";

export default {
  async test(_, env) {
    const store = cloudflareKvStore(env.VALUES);
    const failed = [];
    for (const { name, check } of cases) await check(store).catch((error) => failed.push(`${name}: ${error}`));
    if (failed.length > 0 || cases.length === 0) throw new Error(`${failed.length} of ${cases.length} failed\n${failed.join("\n")}`);
    console.log(`${cases.length} of ${cases.length} cases passed`);
  },
};
