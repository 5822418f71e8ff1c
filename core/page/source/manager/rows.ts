// The bundles of a dashboard as its table, charts and export need them: thousands, so each keeps no more than that.
import type { Bundle } from "../service/types";
import { isComplete, kindOf, type Kind } from "../statuses";

export interface Row extends Omit<Bundle, "piecesAttendues"> {
  complete: boolean;
  /** What a search looks into, folded. */
  text: string;
  /** Of creation, in milliseconds. */
  instant: number;
  /** How many pieces there are of each kind. */
  kinds: ReadonlyMap<Kind | string, number>;
}

export function rowOf({ piecesAttendues, ...bundle }: Bundle): Row {
  const kinds = new Map<Kind | string, number>();
  for (const { statut } of piecesAttendues) kinds.set(kindOf(statut), (kinds.get(kindOf(statut)) ?? 0) + 1);
  const { id, nomDossier, numeroTiers, nomTiers, prenomTiers, numeroPret } = bundle;
  return {
    ...bundle,
    complete: isComplete(bundle),
    text: folded([prenomTiers, nomTiers, prenomTiers, numeroTiers, nomDossier, id, numeroPret].join(" ")),
    instant: Date.parse(bundle.creationDate),
    kinds,
  };
}

/** Without accents, in lower case. */
export function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
