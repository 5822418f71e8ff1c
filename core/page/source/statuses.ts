// What a piece's status means, recognised as the service recognises it (docs/reference/contract.md, "Answers: piece statut").
import { words } from "./preferences";
import type { Bundle, Piece } from "./service/types";

/** The statuses that the interface names, and "rejected", which lenders write; any other text stands for itself. */
export const kinds = ["expected", "rejected", "deposited", "validated", "derogated"] as const;
export type Kind = (typeof kinds)[number];

const spellings = new Map<string, Kind>([
  ["attendu", "expected"],
  ["depose", "deposited"],
  ["valide", "validated"],
  ["deroge", "derogated"],
  ["derogee", "derogated"],
  ["rejete", "rejected"],
]);

/** The kind, or the status as it stands. */
export function kindOf(status: string): Kind | string {
  const folded = status.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return spellings.get(folded) ?? status;
}

export function isKind(kind: string): kind is Kind {
  return (kinds as readonly string[]).includes(kind);
}

export function nameOfKind(kind: Kind | string): string {
  return isKind(kind) ? words.value.kinds[kind] : kind;
}

export function isComplete(bundle: Pick<Bundle, "statut">): boolean {
  return bundle.statut === "Complet";
}

/** A reason that the client should act upon. */
export function refusal(piece: Piece): string | null {
  const kind = kindOf(piece.statut);
  return piece.motif && kind !== "validated" && kind !== "derogated" ? piece.motif : null;
}

/** What the client is to send: again, where it was refused; "provide", where it is only expected. */
export function nextStep(piece: Piece): "redo" | "provide" | null {
  if (refusal(piece) || kindOf(piece.statut) === "rejected") return "redo";
  return kindOf(piece.statut) === "expected" ? "provide" : null;
}

/** Pieces by kind, in the order in which a reader looks for them; kinds without pieces are left out. */
export function byKind(pieces: readonly Piece[]): [Kind | string, Piece[]][] {
  const groups = new Map<Kind | string, Piece[]>();
  for (const piece of pieces) {
    const kind = kindOf(piece.statut);
    groups.set(kind, [...(groups.get(kind) ?? []), piece]);
  }
  return byOrderOfKinds([...groups]);
}

/** Entries of a map by kind, in the same order, the service's other statuses last. */
export function byOrderOfKinds<T>(entries: [Kind | string, T][]): [Kind | string, T][] {
  const rank = (kind: string) => (isKind(kind) ? kinds.indexOf(kind) : kinds.length);
  return entries.sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
