// The entities of answers (documented at /swagger/index.html). Generated from the description by tools/docs/reference.py; do not edit.

/** A number, or its digits if a double cannot represent it exactly. */
export type Decimal = number | string;

export type Assignment = "Rien" | "Optionnel" | "Obligatoire";

export interface MailObject {
  id: number;
  typeObjet: string;
  description: string;
  utilisablePourLiasse: boolean;
  typeAffectation: Assignment;
  lienFichier: string | null;
}

export interface PieceMailObject extends MailObject {
  nomFichier: string | null;
}

export interface Piece {
  id: string;
  objetCourrier: PieceMailObject;
  statut: string;
  motif: string | null;
}

export interface Bundle {
  id: string;
  nomDossier: string;
  creationDate: string;
  statut: string;
  completion: number;
  deposeeDepuisDerniereConsultation: boolean;
  erreur: string | null;
  piecesAttendues: Piece[];
  numeroTiers: string;
  nomTiers: string;
  prenomTiers: string;
  numeroPret: string;
  montantOpportunite: Decimal;
  opportuniteMiseEnPlace: boolean;
}
