// The dashboard's rows: the fields of bundles that the table, the charts and the export need.
import { folded } from "../search";
import type { Bundle, Piece } from "../service/types";
import { isComplete, kindOfPiece, type Kind } from "../statuses";

export interface Row extends Omit<Bundle, "piecesAttendues"> {
  complete: boolean;
  /** The searched text, folded. */
  text: string;
  /** The creation date in milliseconds since 1970. */
  instant: number;
  /** The description of each rejected piece, and the reason if there is one. */
  refusals: readonly string[];
  /** The number of pieces by kind. */
  kinds: ReadonlyMap<Kind | string, number>;
}

export function rowOf({ piecesAttendues, ...bundle }: Bundle): Row {
  const kinds = new Map<Kind | string, number>();
  const refused: Piece[] = [];
  for (const piece of piecesAttendues) {
    const kind = kindOfPiece(piece);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kind === "rejected") refused.push(piece);
  }
  const { id, nomDossier, numeroTiers, nomTiers, prenomTiers, numeroPret } = bundle;
  return {
    ...bundle,
    complete: isComplete(bundle),
    text: folded([prenomTiers, nomTiers, prenomTiers, numeroTiers, nomDossier, id, numeroPret].join(" ")),
    refusals: refused.map(({ objetCourrier, motif }) => (motif ? `${objetCourrier.description} – ${motif}` : objetCourrier.description)),
    instant: Date.parse(bundle.creationDate),
    kinds,
  };
}
