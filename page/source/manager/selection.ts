// Selects and sorts the dashboard's rows, and writes the selection as a query of the page's address. Pure functions.
import { wholePercent } from "../format";
import { kindOf, type Kind } from "../statuses";
import { wordsOf } from "../search";
import type { Row } from "./rows";

export const orders = ["oldest", "newest", "least", "most", "name"] as const;
export type Order = (typeof orders)[number];

/** Ranges of completion in percent, both ends inclusive. */
export const steps = [
  { from: 0, to: 0 },
  { from: 1, to: 25 },
  { from: 26, to: 50 },
  { from: 51, to: 75 },
  { from: 76, to: 99 },
  { from: 100, to: 100 },
] as const;

export interface Selection {
  search: string;
  state: "" | "complete" | "under-way";
  /** An index of `steps`; null: all. */
  step: number | null;
  kind: Kind | string;
  onlyNew: boolean;
  order: Order;
}

export const noFilters: Selection = { search: "", state: "", step: null, kind: "", onlyNew: false, order: "oldest" };

// The names in addresses, which last: users keep and share them.
const stateNames = { complete: "complet", "under-way": "en-cours" };
const kindNames: Record<string, string> = { expected: "attendu", rejected: "rejete", deposited: "depose", validated: "valide", derogated: "deroge" };
const orderNames: Record<Order, string> = { oldest: "anciens", newest: "recents", least: "moins-avances", most: "plus-avances", name: "client" };

/** Returns the query of an address; a default has no parameter. */
export function queryOf({ search, state, step, kind, onlyNew, order }: Selection): string {
  const query = new URLSearchParams();
  if (search) query.set("recherche", search);
  if (state) query.set("statut", stateNames[state]);
  if (step !== null) query.set("avancement", String(steps[step]!.from));
  if (kind) query.set("document", kindNames[kind] ?? kind);
  if (onlyNew) query.set("nouveautes", "1");
  if (order !== noFilters.order) query.set("tri", orderNames[order]);
  return query.toString();
}

/** Parses a query; an unknown value means the default. */
export function selectionOf(text: string): Selection {
  const query = new URLSearchParams(text);
  const step = steps.findIndex(({ from }) => String(from) === query.get("avancement"));
  return {
    search: query.get("recherche") ?? "",
    state: keyOf(stateNames, query.get("statut")) ?? "",
    step: step < 0 ? null : step,
    kind: kindOf(query.get("document") ?? ""),
    onlyNew: query.get("nouveautes") === "1",
    order: keyOf(orderNames, query.get("tri")) ?? noFilters.order,
  };
}

function keyOf<K extends string>(names: Record<K, string>, name: string | null): K | undefined {
  return (Object.keys(names) as K[]).find((key) => names[key] === name);
}

export function isUnfiltered({ order: _, ...selection }: Selection): boolean {
  const { order: __, ...all } = noFilters;
  return JSON.stringify(selection) === JSON.stringify(all);
}

export function stepOf(row: Row): number {
  const whole = wholePercent(row.completion);
  return steps.findIndex(({ from, to }) => whole >= from && whole <= to);
}

export function select(rows: readonly Row[], selection: Selection): Row[] {
  const words = wordsOf(selection.search);
  const found = rows.filter(
    (row) =>
      (selection.state === "" || row.complete === (selection.state === "complete")) &&
      (selection.step === null || stepOf(row) === selection.step) &&
      (selection.kind === "" || row.kinds.has(selection.kind)) &&
      (!selection.onlyNew || row.deposeeDepuisDerniereConsultation) &&
      words.every((word) => row.text.includes(word)),
  );
  return found.sort(comparisons[selection.order]);
}

const names = new Intl.Collator(["fr"]);
const byAge = (a: Row, b: Row) => a.instant - b.instant || (a.id < b.id ? -1 : 1);
const comparisons: Record<Order, (a: Row, b: Row) => number> = {
  oldest: byAge,
  newest: (a, b) => byAge(b, a),
  least: (a, b) => a.completion - b.completion || byAge(a, b),
  most: (a, b) => b.completion - a.completion || byAge(a, b),
  name: (a, b) => names.compare(a.nomTiers, b.nomTiers) || names.compare(a.prenomTiers, b.prenomTiers) || byAge(a, b),
};
