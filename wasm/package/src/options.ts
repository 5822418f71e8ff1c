// What createPortail is given.
import type { Declared, Environment, Known, Settings } from "./settings.js";
import type { Store } from "./store.js";

/** Of a platform's whole environment: PortailOptions<Environment>. */
export interface PortailOptions<S extends Declared | Environment = Settings> {
  store: Store;
  settings: S & Known<S>;
  /**
   * The path that a router has this portal below, "/portail" say: it answers what lies there, and its links lead there. Left
   * out: none.
   */
  basePath?: string | undefined;
  /** Milliseconds since 1970, as Date.now, which it stands in for. */
  now?: (() => number) | undefined;
  /** Takes what an operator should know; left out: console.warn. */
  log?: ((event: string, detail: string) => void) | undefined;
  /** Milliseconds after which who still waits for the store or the body is answered 503: 30,000. Infinity: never. */
  deadline?: number | undefined;
  /** Whether X-Forwarded-Proto and Forwarded come from a proxy of one's own (PORTAIL_TRANSPORT=forwarded): false. */
  trustForwarding?: boolean | undefined;
}

const optionNames: readonly (keyof PortailOptions)[] = ["store", "settings", "basePath", "now", "log", "deadline", "trustForwarding"];

/** Throws a TypeError for an option that has none of these names. */
export function checkNames(options: object, names: readonly string[]): void {
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined) throw new TypeError(`portail: there is no option ${other}`);
}

/** Throws a TypeError, one line for the operator, for what makes no sense. The settings are looked at elsewhere. */
export function checkOptions(options: PortailOptions<Declared | Environment>): void {
  for (const name of ["get", "put", "delete"] as const) {
    if (typeof options?.store?.[name] !== "function") throw new TypeError(`portail: the store has no function ${name}`);
  }
  checkNames(options, optionNames);
  const { store, now, log, deadline, trustForwarding, basePath } = options;
  const { getMany, compareAndSwap } = store;
  for (const [name, given] of Object.entries({ getMany, compareAndSwap, now, log })) {
    if (given !== undefined && typeof given !== "function") throw new TypeError(`portail: ${name} is not a function`);
  }
  const isTime = typeof deadline === "number" && deadline >= 1 && (deadline < 2 ** 31 || deadline === Infinity);
  if (deadline !== undefined && !isTime) {
    throw new TypeError("portail: the deadline is neither 1 to 2147483647 milliseconds nor Infinity");
  }
  if (trustForwarding !== undefined && typeof trustForwarding !== "boolean") {
    throw new TypeError("portail: trustForwarding is neither true nor false");
  }
  if (basePath !== undefined && !(typeof basePath === "string" && /^(\/[\w.~-]+)*$/.test(basePath))) {
    throw new TypeError('portail: basePath is no path such as "/portail"');
  }
}
