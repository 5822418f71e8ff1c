// The options of createPortail and createManagement.
import type { CheckedSettings, Settings } from "./settings.js";
import { isFolder } from "./host_folder.js";
import type { FolderStore, ListingStore, Store } from "./store.js";

/** With a platform's whole environment as settings: PortailOptions<Environment>. */
export interface PortailOptions<S extends object = Settings> {
  store: Store | FolderStore;
  settings: CheckedSettings<S>;
  /** The path at which a router mounts this portal, such as "/portail". It answers requests below it. Default is none. */
  basePath?: string | undefined;
  /** Returns the milliseconds since 1970. Default is Date.now. */
  now?: (() => number) | undefined;
  /** Logs messages for the operator. Default is console.warn. */
  log?: ((event: string, detail: string) => void) | undefined;
  /** Writes a line of JSON for each refusal and each read by a manager: who accessed what. Default is console.error. */
  accessLog?: ((line: string) => void) | undefined;
  /** Fetches the key set if PORTAIL_JWKS is a URL. Default is the platform's fetch. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Milliseconds after which a request that waits for the store is answered 503, for its body 408. Default is 30,000. Infinity: never. */
  deadline?: number | undefined;
  /** Whether X-Forwarded-Proto and Forwarded come from a trusted proxy (PORTAIL_TRANSPORT=forwarded). Default is false. */
  trustForwarding?: boolean | undefined;
}

/** The options with settings of any type. */
export type UncheckedOptions = Omit<PortailOptions, "settings"> & { settings: unknown };

/** The options of createManagement. */
export interface ManagementOptions<S extends object = Settings> extends PortailOptions<S> {
  store: ListingStore | FolderStore;
  /** As `deadline` of a portal, for one operation of the store or one piece of a body. */
  deadline?: number | undefined;
}

const optionNames: readonly (keyof PortailOptions)[] = ["store", "settings", "basePath", "now", "log", "accessLog", "fetch", "deadline", "trustForwarding"];

/** Throws a TypeError for an option with another name than `names`. */
export function checkNames(options: object, names: readonly string[]): void {
  const other = Object.keys(options).find((name) => !names.includes(name));
  if (other !== undefined) throw new TypeError(`portail: unknown option ${other}; the options are ${names.join(", ")}`);
}

/** Throws a TypeError, one line for the operator, for an invalid option. The settings are checked elsewhere. */
export function checkOptions(options: UncheckedOptions, isManagement: boolean): void {
  checkStore(options?.store, isManagement);
  checkNames(options, optionNames);
  const { now, log, accessLog, fetch, deadline, trustForwarding, basePath } = options;
  checkFunctions({ now, log, accessLog, fetch });
  const isTime = typeof deadline === "number" && deadline >= 1 && (deadline < 2 ** 31 || deadline === Infinity);
  if (deadline !== undefined && !isTime) {
    throw new TypeError("portail: deadline must be 1 to 2147483647 milliseconds or Infinity");
  }
  if (trustForwarding !== undefined && typeof trustForwarding !== "boolean") {
    throw new TypeError("portail: trustForwarding must be true or false");
  }
  if (basePath !== undefined && !(typeof basePath === "string" && /^(\/[\w.~-]+)*$/.test(basePath))) {
    throw new TypeError('portail: basePath must be a path such as "/portail"');
  }
}

function checkStore(store: Store | FolderStore, isManagement: boolean): void {
  if (isFolder(store)) return;
  const needed = ["get", "put", "delete", ...(isManagement ? (["list"] as const) : [])] as const;
  for (const name of needed) {
    if (typeof (store as ListingStore | undefined)?.[name] !== "function") throw new TypeError(`portail: the store has no function ${name}`);
  }
  const { getMany, compareAndSwap } = store;
  checkFunctions({ getMany, compareAndSwap });
}

function checkFunctions(functions: Record<string, unknown>): void {
  for (const [name, option] of Object.entries(functions)) {
    if (option !== undefined && typeof option !== "function") throw new TypeError(`portail: ${name} must be a function`);
  }
}
