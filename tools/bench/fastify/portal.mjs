// The visibility of mail objects and bundles, with the import document in memory. Data that does not depend on the caller is
// prepared when the document is read; the rest is computed for each answer.

const kindOf = (statut) => {
  const text = statut.normalize().toLowerCase().replaceAll("é", "e");
  return text === "valide" ? "validated" : text === "deroge" || text === "derogee" ? "derogated" : "open";
};

export function readPortal({ objetsCourrier, tiers, liasses, droits }) {
  const mailObjects = new Map(objetsCourrier.toSorted((a, b) => a.id - b.id).map((given) => [given.id, mailObjectOf(given)]));
  const ordered = [...mailObjects.values()].map(({ nomFichier, ...mailObject }) => mailObject);
  const parties = new Map(tiers.map((party) => [party.numeroTiers, party]));
  const bundles = new Map(
    liasses
      .toSorted((a, b) => Date.parse(b.creationDate) - Date.parse(a.creationDate) || (a.id < b.id ? -1 : 1))
      .map((given) => [given.id, { given: bundleOf(given), party: parties.get(given.numeroTiers) }]),
  );
  const own = byPerson(bundles, "utilisateurs");
  const managed = byPerson(bundles, "gestionnaires");
  const consultations = new Map();

  const faultOf = ({ objetCourrier, motif }) => `${mailObjects.get(objetCourrier).typeObjet} : ${motif}`;

  function shown({ given, party }, sub, hidden = false) {
    const pieces = given.piecesAttendues;
    const done = pieces.filter(({ kind }) => kind === "validated").length;
    const faults = pieces.filter(({ kind, motif }) => motif && kind === "open");
    const visible = hidden ? pieces.filter(({ kind }) => kind !== "derogated") : pieces;
    return {
      id: given.id,
      nomDossier: given.nomDossier,
      creationDate: given.creationDate,
      statut: done === pieces.length ? "Complet" : "En cours",
      completion: pieces.length === 0 ? 100 : (100 * done) / pieces.length,
      deposeeDepuisDerniereConsultation: deposits(pieces) > (consultations.get(`${sub} ${given.id}`) ?? 0),
      erreur: faults.map(faultOf).join(" ; ") || null,
      piecesAttendues: visible.map(({ id, objetCourrier, statut, motif }) => ({
        id,
        objetCourrier: mailObjects.get(objetCourrier),
        statut,
        motif: motif ?? null,
      })),
      numeroTiers: party.numeroTiers,
      nomTiers: party.nomTiers,
      prenomTiers: party.prenomTiers,
      numeroPret: given.numeroPret,
      montantOpportunite: given.montantOpportunite,
      opportuniteMiseEnPlace: given.opportuniteMiseEnPlace,
    };
  }

  function may({ sub, role = [], permissions = [] }, permission) {
    return (
      permissions.includes(permission) ||
      droits.some((right) => right.permission === permission && (right.utilisateur === sub || role.includes(right.role)))
    );
  }

  return {
    may,
    mailObject: (id) => mailObjects.get(id),
    mailObjectPage: (skip, limit) => ({ totalCount: ordered.length, items: ordered.slice(skip, skip + limit) }),
    hasBundle: (id) => bundles.has(id),
    bundlesOf: (sub) => (own.get(sub) ?? []).map((bundle) => shown(bundle, sub)),
    managedBundlesOf: (sub) => (managed.get(sub) ?? []).map((bundle) => shown(bundle, sub)),
    bundleFor(caller, id) {
      const { sub } = caller;
      const bundle = bundles.get(id);
      const isOwn = bundle.party.utilisateurs.includes(sub);
      const manages = bundle.party.gestionnaires.includes(sub) && may(caller, "PortailClients.Dashboard.Host");
      if (!isOwn && !manages) return undefined;
      const answer = shown(bundle, sub, !may(caller, "PortailClients.Liasses.VoirPieceDerogee"));
      consultations.set(`${sub} ${id}`, deposits(bundle.given.piecesAttendues));
      return answer;
    },
  };
}

function bundleOf(given) {
  return {
    ...given,
    creationDate: given.creationDate.replace(/Z$/, "+00:00"),
    piecesAttendues: given.piecesAttendues.map((piece) => ({ ...piece, kind: kindOf(piece.statut) })),
  };
}

function mailObjectOf({ id, typeObjet, description, utilisablePourLiasse, typeAffectation, fichierModele }) {
  return {
    id,
    typeObjet,
    description,
    utilisablePourLiasse,
    typeAffectation,
    lienFichier: fichierModele ? `/api/app/objet-courrier/${id}/fichier-modele` : null,
    nomFichier: fichierModele?.nomFichier ?? null,
  };
}

function deposits(pieces) {
  return pieces.filter(({ dateDepot }) => dateDepot).length;
}

function byPerson(bundles, list) {
  const found = new Map();
  for (const bundle of bundles.values()) {
    for (const person of bundle.party[list]) found.set(person, [...(found.get(person) ?? []), bundle]);
  }
  return found;
}
