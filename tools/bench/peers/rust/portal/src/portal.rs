use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use chrono::DateTime;
use serde::{Deserialize, Serialize};

use crate::{Caller, Problem};

/// For one user: the number of deposits of each bundle at the last consultation.
pub type Views = HashMap<String, usize>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    objets_courrier: Vec<MailObject>,
    tiers: Vec<Party>,
    liasses: Vec<GivenBundle>,
    droits: Vec<Right>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MailObject {
    id: i64,
    type_objet: String,
    description: String,
    utilisable_pour_liasse: bool,
    type_affectation: String,
    lien_fichier: Option<String>,
    #[serde(skip_serializing)]
    fichier_modele: Option<Template>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Template {
    nom_fichier: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Party {
    numero_tiers: String,
    nom_tiers: String,
    prenom_tiers: String,
    utilisateurs: Vec<String>,
    gestionnaires: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenBundle {
    id: String,
    nom_dossier: String,
    creation_date: String,
    numero_tiers: String,
    numero_pret: String,
    montant_opportunite: f64,
    opportunite_mise_en_place: bool,
    pieces_attendues: Vec<GivenPiece>,
    #[serde(skip)]
    party: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenPiece {
    id: String,
    objet_courrier: i64,
    statut: String,
    motif: Option<String>,
    date_depot: Option<String>,
    #[serde(skip)]
    kind: Kind,
    #[serde(skip)]
    mail_object: usize,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    #[default]
    Open,
    Validated,
    Derogated,
}

#[derive(Deserialize)]
struct Right {
    permission: String,
    role: Option<String>,
    utilisateur: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MailObjectPage<'a> {
    total_count: usize,
    items: &'a [MailObject],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bundle<'a> {
    id: &'a str,
    nom_dossier: &'a str,
    creation_date: &'a str,
    statut: &'static str,
    completion: f64,
    deposee_depuis_derniere_consultation: bool,
    erreur: Option<String>,
    pieces_attendues: Vec<Piece<'a>>,
    numero_tiers: &'a str,
    nom_tiers: &'a str,
    prenom_tiers: &'a str,
    numero_pret: &'a str,
    montant_opportunite: f64,
    opportunite_mise_en_place: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Piece<'a> {
    id: &'a str,
    objet_courrier: NamedMailObject<'a>,
    statut: &'a str,
    motif: Option<&'a str>,
}

/// A mail object in a bundle.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NamedMailObject<'a> {
    id: i64,
    type_objet: &'a str,
    description: &'a str,
    utilisable_pour_liasse: bool,
    type_affectation: &'a str,
    lien_fichier: Option<&'a str>,
    nom_fichier: Option<&'a str>,
}

/// The visibility of mail objects and bundles. Data that does not depend on the caller is prepared when the document is read; the
/// rest is computed for each answer.
pub struct Portal {
    mail_objects: Vec<MailObject>,
    mail_object_positions: BTreeMap<i64, usize>,
    parties: Vec<Party>,
    bundles: Vec<GivenBundle>,
    bundle_positions: BTreeMap<String, usize>,
    own: BTreeMap<String, Vec<usize>>,
    managed: BTreeMap<String, Vec<usize>>,
    rights: Vec<Right>,
}

impl Portal {
    /// Makes no system calls, so that it can run when the component is built.
    pub fn read(document: &str) -> Self {
        let Document { mut objets_courrier, tiers, mut liasses, droits } =
            serde_json::from_str(document).expect("the document is one of import");
        objets_courrier.sort_by_key(|given| given.id);
        for given in &mut objets_courrier {
            if given.fichier_modele.is_some() {
                given.lien_fichier = Some(format!("/api/app/objet-courrier/{}/fichier-modele", given.id));
            }
        }
        let mail_object_positions: BTreeMap<_, _> = objets_courrier.iter().map(|given| given.id).zip(0..).collect();
        let party_positions: BTreeMap<_, _> = tiers.iter().map(|party| &party.numero_tiers).zip(0..).collect();
        liasses.sort_by_cached_key(|given| {
            let created = DateTime::parse_from_rfc3339(&given.creation_date).expect("a bundle has its date");
            (Reverse(created), given.id.clone())
        });
        let mut own = BTreeMap::<String, Vec<usize>>::new();
        let mut managed = own.clone();
        for (position, given) in liasses.iter_mut().enumerate() {
            if let Some(date) = given.creation_date.strip_suffix('Z') {
                given.creation_date = format!("{date}+00:00");
            }
            given.party = party_positions[&given.numero_tiers];
            for piece in &mut given.pieces_attendues {
                piece.kind = kind_of(&piece.statut);
                piece.mail_object = mail_object_positions[&piece.objet_courrier];
            }
            let party = &tiers[given.party];
            for (index, people) in [(&mut own, &party.utilisateurs), (&mut managed, &party.gestionnaires)] {
                for sub in people {
                    index.entry(sub.clone()).or_default().push(position);
                }
            }
        }
        Self {
            mail_object_positions,
            bundle_positions: liasses.iter().map(|given| given.id.clone()).zip(0..).collect(),
            mail_objects: objets_courrier,
            parties: tiers,
            bundles: liasses,
            own,
            managed,
            rights: droits,
        }
    }

    pub fn mail_object(&self, id: i64) -> Result<&MailObject, Problem> {
        let position = self.mail_object_positions.get(&id).ok_or(Problem::NoMailObject(id))?;
        Ok(&self.mail_objects[*position])
    }

    /// Default: the first ten.
    pub fn mail_object_page(&self, skip: Option<usize>, limit: Option<usize>) -> Result<MailObjectPage<'_>, Problem> {
        let limit = limit.unwrap_or(10);
        if !(1..=1000).contains(&limit) {
            return Err(Problem::Invalid("MaxResultCount"));
        }
        let count = self.mail_objects.len();
        let from = skip.unwrap_or(0).min(count);
        Ok(MailObjectPage { total_count: count, items: &self.mail_objects[from..count.min(from + limit)] })
    }

    pub fn bundles_of(&self, caller: &Caller, views: &Views) -> Vec<Bundle<'_>> {
        self.all(&self.own, &caller.sub, views)
    }

    pub fn managed_bundles_of(&self, caller: &Caller, views: &Views) -> Result<Vec<Bundle<'_>>, Problem> {
        if !self.may(caller, "PortailClients.Dashboard.Host") {
            return Err(Problem::Forbidden);
        }
        Ok(self.all(&self.managed, &caller.sub, views))
    }

    /// The bundle as this caller sees it, and the new number of seen deposits, if it changed.
    pub fn bundle_for(&self, caller: &Caller, id: &str, views: &Views) -> Result<(Bundle<'_>, Option<usize>), Problem> {
        let position = self.bundle_positions.get(id).ok_or_else(|| Problem::NoBundle(id.into()))?;
        let given = &self.bundles[*position];
        let party = &self.parties[given.party];
        let is_own = party.utilisateurs.contains(&caller.sub);
        let manages = party.gestionnaires.contains(&caller.sub) && self.may(caller, "PortailClients.Dashboard.Host");
        if !is_own && !manages {
            return Err(Problem::Forbidden);
        }
        let hidden = !self.may(caller, "PortailClients.Liasses.VoirPieceDerogee");
        let shown = self.shown(given, views, hidden);
        let seen = shown.deposee_depuis_derniere_consultation.then(|| given.deposits());
        Ok((shown, seen))
    }

    fn may(&self, caller: &Caller, permission: &str) -> bool {
        caller.permissions.iter().any(|given| given == permission)
            || self.rights.iter().any(|right| {
                right.permission == permission
                    && (right.utilisateur.as_ref() == Some(&caller.sub)
                        || right.role.as_ref().is_some_and(|role| caller.role.contains(role)))
            })
    }

    fn all(&self, index: &BTreeMap<String, Vec<usize>>, sub: &str, views: &Views) -> Vec<Bundle<'_>> {
        let positions = index.get(sub).map_or(&[][..], Vec::as_slice);
        positions.iter().map(|position| self.shown(&self.bundles[*position], views, false)).collect()
    }

    fn shown<'a>(&'a self, given: &'a GivenBundle, views: &Views, hidden: bool) -> Bundle<'a> {
        let pieces = &given.pieces_attendues;
        let party = &self.parties[given.party];
        let done = pieces.iter().filter(|piece| piece.kind == Kind::Validated).count();
        let is_complete = done == pieces.len();
        let faults: Vec<_> = pieces
            .iter()
            .filter(|piece| piece.kind == Kind::Open)
            .filter_map(|piece| Some((piece, piece.motif.as_ref().filter(|motif| !motif.is_empty())?)))
            .map(|(piece, motif)| format!("{} : {motif}", self.mail_objects[piece.mail_object].type_objet))
            .collect();
        Bundle {
            id: &given.id,
            nom_dossier: &given.nom_dossier,
            creation_date: &given.creation_date,
            statut: if is_complete { "Complet" } else { "En cours" },
            completion: if is_complete { 100.0 } else { 100.0 * done as f64 / pieces.len() as f64 },
            deposee_depuis_derniere_consultation: given.deposits() > views.get(&given.id).copied().unwrap_or(0),
            erreur: (!faults.is_empty()).then(|| faults.join(" ; ")),
            pieces_attendues: pieces
                .iter()
                .filter(|piece| !hidden || piece.kind != Kind::Derogated)
                .map(|piece| Piece {
                    id: &piece.id,
                    objet_courrier: self.mail_objects[piece.mail_object].named(),
                    statut: &piece.statut,
                    motif: piece.motif.as_deref(),
                })
                .collect(),
            numero_tiers: &party.numero_tiers,
            nom_tiers: &party.nom_tiers,
            prenom_tiers: &party.prenom_tiers,
            numero_pret: &given.numero_pret,
            montant_opportunite: given.montant_opportunite,
            opportunite_mise_en_place: given.opportunite_mise_en_place,
        }
    }
}

impl MailObject {
    fn named(&self) -> NamedMailObject<'_> {
        NamedMailObject {
            id: self.id,
            type_objet: &self.type_objet,
            description: &self.description,
            utilisable_pour_liasse: self.utilisable_pour_liasse,
            type_affectation: &self.type_affectation,
            lien_fichier: self.lien_fichier.as_deref(),
            nom_fichier: self.fichier_modele.as_ref().map(|template| template.nom_fichier.as_str()),
        }
    }
}

impl GivenBundle {
    fn deposits(&self) -> usize {
        self.pieces_attendues.iter().filter(|piece| piece.date_depot.is_some()).count()
    }
}

fn kind_of(statut: &str) -> Kind {
    let text = statut.to_lowercase().replace("e\u{301}", "e").replace('é', "e");
    match text.as_str() {
        "valide" => Kind::Validated,
        "deroge" | "derogee" => Kind::Derogated,
        _ => Kind::Open,
    }
}
