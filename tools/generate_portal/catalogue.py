"""The mail objects of a French lender: the types of document that its portal exchanges."""

from dataclasses import dataclass

from .text import encode

FORBIDDEN, OPTIONAL, REQUIRED = "Rien", "Optionnel", "Obligatoire"


@dataclass(frozen=True)
class MailObject:
    id: int
    type_objet: str
    description: str
    usable_in_bundles: bool
    assignment: str
    template_name: str | None = None  # the file name for downloads
    template_path: str | None = None  # relative to the document's directory

    def to_json(self, with_template):
        """One line. `with_template`: whether the template files are in the directory of the document."""
        members = {
            "id": self.id,
            "typeObjet": self.type_objet,
            "description": self.description,
            "utilisablePourLiasse": self.usable_in_bundles,
            "typeAffectation": self.assignment,
        }
        if with_template and self.template_path:
            members["fichierModele"] = {
                "nomFichier": self.template_name,
                "chemin": self.template_path,
                "type": "application/pdf",
            }
        return encode(members)


# In no order of codes, and with gaps, like a real catalogue. `Autre` and `ÉCHÉANCIER` sort differently as bytes than
# in a dictionary.
MAIL_OBJECTS = (
    MailObject(1, "CNI", "Carte nationale d'identité, recto et verso", True, REQUIRED),
    MailObject(2, "PASSEPORT", "Passeport en cours de validité", True, OPTIONAL),
    MailObject(3, "TITRE_SEJOUR", "Titre de séjour en cours de validité", True, OPTIONAL),
    MailObject(4, "JUSTIFICATIF_DOMICILE", "Justificatif de domicile de moins de trois mois", True, REQUIRED),
    MailObject(5, "LIVRET_FAMILLE", "Livret de famille, toutes les pages complétées", True, OPTIONAL),
    MailObject(6, "CONTRAT_MARIAGE", "Contrat de mariage ou convention de PACS", True, OPTIONAL),
    MailObject(7, "JUGEMENT_DIVORCE", "Jugement de divorce définitif", True, OPTIONAL),
    MailObject(8, "BULLETIN_SALAIRE", "Trois derniers bulletins de salaire", True, REQUIRED),
    MailObject(9, "CONTRAT_TRAVAIL", "Contrat de travail et avenants", True, OPTIONAL),
    MailObject(10, "ATTESTATION_EMPLOYEUR", "Attestation de l'employeur, datée et signée", True, OPTIONAL,
               "Attestation employeur.pdf", "modeles/attestation-employeur.pdf"),
    MailObject(11, "AVIS_IMPOSITION", "Dernier avis d'imposition sur le revenu", True, REQUIRED),
    MailObject(12, "DECLARATION_2042", "Déclaration de revenus (formulaire n° 2042)", True, OPTIONAL),
    MailObject(13, "TAXE_FONCIERE", "Avis de taxe foncière", True, OPTIONAL),
    MailObject(14, "RELEVE_COMPTE", "Relevés de compte des trois derniers mois", True, REQUIRED),
    MailObject(15, "RIB", "Relevé d'identité bancaire (« RIB »)", True, REQUIRED),
    MailObject(16, "MANDAT_SEPA", "Mandat de prélèvement SEPA signé", True, REQUIRED,
               "Mandat de prélèvement SEPA.pdf", "modeles/mandat-sepa.pdf"),
    MailObject(17, "RELEVE_EPARGNE", "Relevé d'épargne justifiant l'apport personnel", True, OPTIONAL),
    MailObject(18, "TABLEAU_AMORTISSEMENT", "Tableau d'amortissement des prêts en cours", True, OPTIONAL),
    MailObject(19, "OFFRE_PRET", "Offre de prêt émise par l'établissement", False, FORBIDDEN),
    MailObject(20, "OFFRE_PRET_SIGNEE", "Offre de prêt paraphée et signée", True, OPTIONAL),
    MailObject(21, "FISE", "Fiche d'information standardisée européenne", False, FORBIDDEN),
    MailObject(24, "COMPROMIS_VENTE", "Compromis ou promesse de vente signé", True, REQUIRED),
    MailObject(25, "CONTRAT_RESERVATION", "Contrat de réservation (vente en l'état futur d'achèvement)", True, OPTIONAL),
    MailObject(26, "ACTE_PROPRIETE", "Titre de propriété ou attestation notariée", True, OPTIONAL),
    MailObject(27, "ESTIMATION_BIEN", "Estimation du bien par un professionnel", True, OPTIONAL),
    MailObject(28, "DPE", "Diagnostic de performance énergétique", True, OPTIONAL),
    MailObject(29, "PERMIS_CONSTRUIRE", "Permis de construire purgé de tout recours", True, OPTIONAL),
    MailObject(30, "DEVIS_TRAVAUX", "Devis détaillés des travaux", True, OPTIONAL),
    MailObject(31, "FACTURE_TRAVAUX", "Factures acquittées des travaux", True, OPTIONAL),
    MailObject(32, "BON_COMMANDE_VEHICULE", "Bon de commande du véhicule", True, OPTIONAL),
    MailObject(33, "CARTE_GRISE", "Certificat d'immatriculation du véhicule", True, OPTIONAL),
    MailObject(40, "ASSURANCE_EMPRUNTEUR", "Certificat d'adhésion à l'assurance emprunteur", True, OPTIONAL),
    MailObject(42, "ATTESTATION_HEBERGEMENT", "Attestation d'hébergement à titre gratuit", True, OPTIONAL,
               "Attestation d'hébergement.pdf", "modeles/attestation-hebergement.pdf"),
    MailObject(43, "ATTESTATION_HONNEUR", "Attestation sur l'honneur de charges et de ressources", True, OPTIONAL,
               "Attestation sur l'honneur.pdf", "modeles/attestation-honneur.pdf"),
    MailObject(50, "KBIS", "Extrait Kbis de moins de trois mois", True, OPTIONAL),
    MailObject(51, "BILAN_COMPTABLE", "Trois derniers bilans et comptes de résultat", True, OPTIONAL),
    MailObject(60, "DEMANDE_PRET", "Demande de prêt complétée par l'emprunteur", True, REQUIRED,
               "Demande de prêt (100 % en ligne).pdf", "modeles/demande-pret.pdf"),
    MailObject(61, "ÉCHÉANCIER", "Échéancier prévisionnel remis à l'emprunteur", False, FORBIDDEN),
    MailObject(62, "CONSENTEMENT_DONNEES", "Consentement à l'usage des données personnelles", True, OPTIONAL,
               "Consentement données personnelles.pdf", "modeles/consentement-donnees.pdf"),
    MailObject(90, "Autre", "Autre document, à préciser avec votre conseiller", True, FORBIDDEN),
)

ID_OF = {mail_object.type_objet: mail_object.id for mail_object in MAIL_OBJECTS}
