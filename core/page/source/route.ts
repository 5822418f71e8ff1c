// The section shown, from the fragment of the address; the server serves one page only.
import { signal } from "@preact/signals";

export type Section = "bundles" | "dashboard" | "mail-objects";

export interface Route {
  /** null: the caller's default section. */
  section: Section | "unknown" | null;
  /** Of a bundle. */
  id: string | null;
}

const addresses: Record<Section, string> = { bundles: "dossiers", dashboard: "tableau-de-bord", "mail-objects": "documents" };

export const route = signal(read());
addEventListener("hashchange", () => {
  route.value = read();
});

export function addressOf(section: Section, id?: string): string {
  return `#/${addresses[section]}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
}

function read(): Route {
  const [first = "", id, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  if (first === "") return { section: null, id: null };
  const section = (Object.keys(addresses) as Section[]).find((each) => addresses[each] === first);
  if (!section || rest.length > 0) return { section: "unknown", id: null };
  return { section, id: id ? decoded(id) : null };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
