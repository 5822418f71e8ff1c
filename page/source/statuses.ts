// The kinds of piece statuses, parsed by the service's rules (docs/reference/contract.md, "Answers: piece statut").
import { words } from "./preferences";
import { folded } from "./search";
import type { Bundle, Piece } from "./service/types";

/** The statuses of the interface, and "rejected", which lenders use. Other texts are shown unchanged. */
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

/** Returns the kind, or the status itself, composed, if it is unknown. */
export function kindOf(status: string): Kind | string {
  return spellings.get(folded(status)) ?? status.normalize();
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

/** Returns the reason that the client should act upon, or null. */
export function refusal(piece: Piece): string | null {
  const kind = kindOf(piece.statut);
  return piece.motif && kind !== "validated" && kind !== "derogated" ? piece.motif : null;
}

/** Returns the client's next step: "redo" for a refused piece, "provide" for an expected one. */
export function nextStep(piece: Piece): "redo" | "provide" | null {
  if (refusal(piece) || kindOf(piece.statut) === "rejected") return "redo";
  return kindOf(piece.statut) === "expected" ? "provide" : null;
}

/** Returns the kind of a piece, or its status if that is unknown. A piece that the client must send again is "rejected", whatever its status. */
export function kindOfPiece(piece: Piece): Kind | string {
  return nextStep(piece) === "redo" ? "rejected" : kindOf(piece.statut);
}

/** Groups pieces by kind, in the order of `kinds`; empty groups are omitted. */
export function byKind(pieces: readonly Piece[]): [Kind | string, Piece[]][] {
  const groups = new Map<Kind | string, Piece[]>();
  for (const piece of pieces) {
    const kind = kindOfPiece(piece);
    groups.set(kind, [...(groups.get(kind) ?? []), piece]);
  }
  return byOrderOfKinds([...groups]);
}

/** Sorts entries by kind, in the order of `kinds`; other statuses come last. */
export function byOrderOfKinds<T>(entries: [Kind | string, T][]): [Kind | string, T][] {
  const rank = (kind: string) => (isKind(kind) ? kinds.indexOf(kind) : kinds.length);
  return entries.sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
