// The section shown and its query, from the fragment of the address; the server serves one page only.
import { signal } from "@preact/signals";
import { session } from "./session";

export type Section = "bundles" | "dashboard" | "mail-objects";

export interface Route {
  /** null: the caller's default section. */
  section: Section | "unknown" | null;
  /** Of a bundle. */
  id: string | null;
  /** What the section shows, without the question mark. */
  query: string;
}

const addresses: Record<Section, string> = { bundles: "dossiers", dashboard: "tableau-de-bord", "mail-objects": "documents" };
const lastQueries = new Map<Section, string>(); // of this session

export const route = signal(read());
addEventListener("hashchange", () => {
  const { section, id, query } = route.peek();
  if (section !== null && section !== "unknown" && id === null) lastQueries.set(section, query);
  route.value = read();
});
session.subscribe((current) => {
  if (!current) lastQueries.clear();
});

export function addressOf(section: Section, id?: string, query = ""): string {
  return `#/${addresses[section]}${id === undefined ? "" : `/${encodeURIComponent(id)}`}${query && `?${query}`}`;
}

/** Returns the section's address with the query that it had when the user left it. */
export function lastAddressOf(section: Section): string {
  return addressOf(section, undefined, lastQueries.get(section));
}

/** Shows the section with another query. The browser's history keeps one entry for the section. */
export function replaceQuery(section: Section, query: string): void {
  history.replaceState(null, "", addressOf(section, undefined, query));
  route.value = read();
}

function read(): Route {
  const [, path = "", query = ""] = /^#?\/?([^?]*)\??(.*)$/s.exec(location.hash) ?? [];
  const [first = "", id, ...rest] = path.split("/");
  if (first === "") return { section: null, id: null, query };
  const section = (Object.keys(addresses) as Section[]).find((each) => addresses[each] === first);
  if (!section || rest.length > 0) return { section: "unknown", id: null, query };
  return { section, id: id ? decoded(id) : null, query };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
