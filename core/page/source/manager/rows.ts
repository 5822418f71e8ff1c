// The dashboard's rows: the fields of bundles that the table, the charts and the export need.
import type { Bundle } from "../service/types";
import { isComplete, kindOf, refusal, type Kind } from "../statuses";

export interface Row extends Omit<Bundle, "piecesAttendues"> {
  complete: boolean;
  /** The searched text, folded. */
  text: string;
  /** The creation date in milliseconds since 1970. */
  instant: number;
  /** The description of each piece that has a reason to act upon, and the reason. */
  refusals: readonly string[];
  /** The number of pieces by kind. */
  kinds: ReadonlyMap<Kind | string, number>;
}

export function rowOf({ piecesAttendues, ...bundle }: Bundle): Row {
  const kinds = new Map<Kind | string, number>();
  for (const { statut } of piecesAttendues) kinds.set(kindOf(statut), (kinds.get(kindOf(statut)) ?? 0) + 1);
  const refused = piecesAttendues.filter((piece) => refusal(piece));
  const { id, nomDossier, numeroTiers, nomTiers, prenomTiers, numeroPret } = bundle;
  return {
    ...bundle,
    complete: isComplete(bundle),
    text: folded([prenomTiers, nomTiers, prenomTiers, numeroTiers, nomDossier, id, numeroPret].join(" ")),
    refusals: refused.map(({ objetCourrier, motif }) => `${objetCourrier.description} – ${motif}`),
    instant: Date.parse(bundle.creationDate),
    kinds,
  };
}

/** Removes accents and converts to lower case. */
export function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
