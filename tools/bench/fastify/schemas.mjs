// The answers' JSON schemas, from which Fastify compiles its serializers.
const text = { type: "string" };
const optional = { type: ["string", "null"] };
const truth = { type: "boolean" };
const object = (properties) => ({ type: "object", properties });
const list = (items) => ({ type: "array", items });

const common = {
  id: { type: "integer" },
  typeObjet: text,
  description: text,
  utilisablePourLiasse: truth,
  typeAffectation: text,
  lienFichier: optional,
};

export const mailObject = object(common);
export const mailObjectPage = object({ totalCount: { type: "integer" }, items: list(mailObject) });
export const bundle = object({
  id: text,
  nomDossier: text,
  creationDate: text,
  statut: text,
  completion: { type: "number" },
  deposeeDepuisDerniereConsultation: truth,
  erreur: optional,
  piecesAttendues: list(
    object({ id: text, objetCourrier: object({ ...common, nomFichier: optional }), statut: text, motif: optional }),
  ),
  numeroTiers: text,
  nomTiers: text,
  prenomTiers: text,
  numeroPret: text,
  montantOpportunite: { type: "number" },
  opportuniteMiseEnPlace: truth,
});
export const bundles = list(bundle);
