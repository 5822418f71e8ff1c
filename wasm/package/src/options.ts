// What createPortail is given.
import type { Settings } from "./settings.js";
import type { Store } from "./store.js";

export interface PortailOptions {
  store: Store;
  settings: Settings;
  /** Milliseconds since 1970, as Date.now, which it stands in for. */
  now?: () => number;
  /** Takes what an operator should know; left out: console.warn. */
  log?: (event: string, detail: string) => void;
  /** Milliseconds after which a request that still waits for its store or its body is answered 503: 30,000. */
  deadline?: number;
  /** Whether X-Forwarded-Proto and Forwarded come from a proxy of one's own (PORTAIL_TRANSPORT=forwarded): false. */
  trustForwarding?: boolean;
}
