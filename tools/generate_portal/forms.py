"""The contents of the template files: forms that clients fill in and send back."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Section:
    heading: str
    fields: tuple[str, ...] = ()  # each a label with a line to write on
    choices: tuple[str, ...] = ()  # each a box to tick


@dataclass(frozen=True)
class Form:
    file: str
    title: str
    introduction: str
    sections: tuple[Section, ...]
    declaration: str


_SWORN = "Je certifie l'exactitude des renseignements ci-dessus et m'engage à signaler tout changement."

FORMS = (
    Form(
        "attestation-employeur.pdf",
        "Attestation de l'employeur",
        "À compléter par l'employeur de l'emprunteur. Cette attestation est jointe au dossier de prêt ; "
        "elle est valable un mois à compter de sa signature.",
        (
            Section("Employeur", ("Raison sociale", "SIRET", "Adresse", "Représenté par")),
            Section("Salarié", ("Nom et prénom", "Fonction", "Date d'entrée", "Salaire net mensuel (€)")),
            Section("Nature du contrat", choices=(
                "Contrat à durée indéterminée", "Contrat à durée déterminée", "Période d'essai en cours")),
        ),
        "Je certifie que le salarié n'est ni démissionnaire ni en cours de licenciement.",
    ),
    Form(
        "mandat-sepa.pdf",
        "Mandat de prélèvement SEPA",
        "En signant ce mandat, vous autorisez le Crédit des Provinces à envoyer des instructions à votre banque "
        "pour débiter votre compte, et votre banque à débiter votre compte conformément à ces instructions.",
        (
            Section("Débiteur", ("Nom et prénom", "Adresse", "Code postal et ville")),
            Section("Compte à débiter", ("IBAN", "BIC", "Établissement")),
            Section("Type de paiement", choices=("Paiement récurrent", "Paiement ponctuel")),
        ),
        "Vous pouvez demander le remboursement d'un prélèvement dans les huit semaines qui suivent le débit.",
    ),
    Form(
        "attestation-hebergement.pdf",
        "Attestation d'hébergement",
        "À compléter par la personne qui héberge. Joindre la copie de sa pièce d'identité et un justificatif "
        "de domicile de moins de trois mois à son nom.",
        (
            Section("Hébergeant", ("Nom et prénom", "Né(e) le, à", "Adresse")),
            Section("Personne hébergée", ("Nom et prénom", "Né(e) le, à", "Hébergée depuis le")),
            Section("Conditions", choices=("À titre gratuit", "Avec participation aux charges")),
        ),
        _SWORN,
    ),
    Form(
        "attestation-honneur.pdf",
        "Attestation sur l'honneur",
        "Charges et ressources du foyer. Tout crédit en cours, y compris auprès d'un autre établissement, "
        "doit être déclaré.",
        (
            Section("Emprunteur", ("Nom et prénom", "Situation de famille", "Personnes à charge")),
            Section("Ressources mensuelles", ("Salaires (€)", "Revenus fonciers (€)", "Autres revenus (€)")),
            Section("Charges mensuelles", ("Loyer (€)", "Crédits en cours (€)", "Pensions versées (€)")),
        ),
        _SWORN,
    ),
    Form(
        "demande-pret.pdf",
        "Demande de prêt",
        "Remplissez une demande par projet. Votre conseiller vous répond sous cinq jours ouvrés ; "
        "les pièces à fournir apparaissent ensuite dans votre espace client.",
        (
            Section("Emprunteur", ("Nom et prénom", "Courriel", "Téléphone")),
            Section("Co-emprunteur", ("Nom et prénom", "Lien avec l'emprunteur")),
            Section("Projet", ("Montant souhaité (€)", "Durée (mois)", "Apport personnel (€)"), (
                "Acquisition de la résidence principale", "Investissement locatif", "Travaux", "Véhicule")),
        ),
        "Un crédit vous engage et doit être remboursé. Vérifiez vos capacités de remboursement avant de vous engager.",
    ),
    Form(
        "consentement-donnees.pdf",
        "Consentement à l'usage des données personnelles",
        "Le Crédit des Provinces traite vos données pour étudier votre demande. Les usages ci-dessous sont "
        "facultatifs ; vous pouvez retirer votre accord à tout moment depuis votre espace client.",
        (
            Section("Client", ("Nom et prénom", "Numéro de client")),
            Section("J'accepte", choices=(
                "De recevoir des offres par courriel",
                "De recevoir des offres par téléphone",
                "Que mes données servent à améliorer les services en ligne",
                "Que mes données soient transmises aux partenaires de l'établissement")),
        ),
        "Vous disposez d'un droit d'accès, de rectification et d'effacement (règlement UE 2016/679).",
    ),
)
