"""Bundles (liasses) and their expected pieces, in every state that the contract names."""

from . import calendar
from .catalogue import ID_OF
from .text import encode, pick

# Accents are written as escapes where their form matters: composed é is one character,
# decomposed é is e and a combining accent.
DECOMPOSED_VALIDATED = "Valide\u0301"
DECOMPOSED_DEROGATED = "De\u0301roge\u0301"
DECOMPOSED_DEROGATED_FEMININE = "De\u0301roge\u0301e"

REASONS = (
    "Document illisible",
    "Document périmé",
    "Page manquante : le verso n'a pas été fourni",
    "Le nom ne correspond pas à celui de l'emprunteur",
    "Date antérieure à trois mois",
    "Signature absente",
    "Le bulletin du mois d'août manque",
    "Montant différent de celui du compromis",
    "L'adresse n'est pas celle déclarée",
    "Fichier protégé par un mot de passe",
    "Photocopie tronquée ; merci de numériser la page entière",
    "IBAN d'un autre titulaire",
)


class Piece:
    """A possible piece of a bundle; its status and reason are JSON text."""

    __slots__ = ("status", "reason", "deposited")

    def __init__(self, status, reason=None, deposited=False):
        self.status = encode(status)
        self.reason = encode(reason)
        self.deposited = deposited


_EXPECTED = (Piece("Attendu"),)
_DEPOSITED = (Piece("Déposé", deposited=True),)
_VALIDATED = (
    *(Piece("Validé", deposited=True) for _ in range(32)),
    *(Piece("Validé") for _ in range(4)),  # received on paper
    Piece("validé", deposited=True),
    Piece("VALIDÉ", deposited=True),
    Piece(DECOMPOSED_VALIDATED, deposited=True),
    Piece("Validé", "Accepté malgré une date ancienne", deposited=True),
)
_REJECTED = (
    *(Piece("Attendu", reason, deposited=True) for reason in REASONS),
    *(Piece("Attendu", reason, deposited=True) for reason in REASONS),
    *(Piece("Rejeté", reason, deposited=True) for reason in REASONS[:4]),
    Piece("Attendu", "", deposited=True),  # an empty reason is none
)
_DEROGATED = (
    *(Piece("Dérogé") for _ in range(6)),
    *(Piece("Dérogée") for _ in range(6)),
    Piece("Dérogé", deposited=True),
    Piece("Dérogée", "Dérogation accordée par la direction des engagements", deposited=True),
    Piece(DECOMPOSED_DEROGATED),
    Piece(DECOMPOSED_DEROGATED_FEMININE),
    Piece("DÉROGÉE"),
)
_UNKNOWN = (
    Piece("En attente de signature", deposited=True),
    Piece("À vérifier", deposited=True),
    Piece("Archivé", deposited=True),
)
_NOT_VALIDATED = _EXPECTED + _DEPOSITED
_MIXED = _VALIDATED + 12 * _NOT_VALIDATED

# state, share in a hundred bundles, choices for one of its pieces, choices for the others
_STATES = (
    ("complete", 27, _VALIDATED, _VALIDATED),
    ("new", 10, _EXPECTED, _EXPECTED),
    ("to check", 6, _DEPOSITED, _DEPOSITED),
    ("in progress", 27, _NOT_VALIDATED, _MIXED),
    ("rejected", 12, _REJECTED, _MIXED + _REJECTED),
    ("derogated", 6, _DEROGATED, _MIXED),
    ("derogated, otherwise complete", 5, _DEROGATED, _VALIDATED),
    ("unknown status", 3, _UNKNOWN, _MIXED),
    ("no pieces", 4, None, None),
)
_STATE_BY_PERCENT = tuple((one, others) for _, share, one, others in _STATES for _ in range(share))
assert len(_STATE_BY_PERCENT) == 100


class Product:
    """A kind of loan: its name, minimum and maximum amount, and required documents."""

    __slots__ = ("name", "min_amount", "span", "documents")

    def __init__(self, name, min_amount, max_amount, *documents):
        self.name = name
        self.min_amount = min_amount
        self.span = max_amount - min_amount
        self.documents = tuple(ID_OF[document] for document in documents)


_PRODUCTS = (
    Product("Prêt immobilier – résidence principale", 60_000, 480_000, "CNI", "COMPROMIS_VENTE", "BULLETIN_SALAIRE",
            "AVIS_IMPOSITION", "RELEVE_COMPTE", "JUSTIFICATIF_DOMICILE", "RIB", "ASSURANCE_EMPRUNTEUR"),
    Product("Prêt immobilier – achat sur plan", 90_000, 520_000, "CNI", "CONTRAT_RESERVATION", "AVIS_IMPOSITION",
            "RELEVE_EPARGNE", "BULLETIN_SALAIRE", "RIB", "MANDAT_SEPA"),
    Product("Investissement locatif", 50_000, 350_000, "PASSEPORT", "COMPROMIS_VENTE", "TAXE_FONCIERE",
            "ESTIMATION_BIEN", "DPE", "AVIS_IMPOSITION", "TABLEAU_AMORTISSEMENT"),
    Product("Prêt travaux – rénovation énergétique", 5_000, 75_000, "CNI", "DEVIS_TRAVAUX", "DPE", "ACTE_PROPRIETE",
            "RIB", "BULLETIN_SALAIRE"),
    Product("Construction de maison individuelle", 120_000, 450_000, "CNI", "PERMIS_CONSTRUIRE", "DEVIS_TRAVAUX",
            "ACTE_PROPRIETE", "AVIS_IMPOSITION", "LIVRET_FAMILLE", "RELEVE_COMPTE"),
    Product("Crédit auto", 4_000, 45_000, "CNI", "BON_COMMANDE_VEHICULE", "JUSTIFICATIF_DOMICILE", "RIB",
            "BULLETIN_SALAIRE"),
    Product("Rachat de crédits", 15_000, 220_000, "CNI", "TABLEAU_AMORTISSEMENT", "RELEVE_COMPTE", "AVIS_IMPOSITION",
            "ATTESTATION_HONNEUR", "MANDAT_SEPA"),
    Product("Prêt étudiant", 2_000, 40_000, "TITRE_SEJOUR", "ATTESTATION_HEBERGEMENT", "RIB", "Autre"),
    Product("Prêt professionnel – équipement", 10_000, 300_000, "KBIS", "BILAN_COMPTABLE", "CNI", "DECLARATION_2042",
            "RELEVE_COMPTE"),
    Product("Prêt relais", 40_000, 400_000, "CNI", "ESTIMATION_BIEN", "JUGEMENT_DIVORCE", "ACTE_PROPRIETE",
            "OFFRE_PRET_SIGNEE", "RIB"),
)
_TOWNS = (
    "Angers", "Besançon", "Béziers", "Bordeaux", "Brest", "Châteauroux", "Clermont-Ferrand", "Dijon", "Évreux",
    "Grenoble", "L'Haÿ-les-Roses", "Le Mans", "Lille", "Lyon", "Mâcon", "Marseille", "Montpellier", "Nancy", "Nantes",
    "Nîmes", "Orléans", "Paris", "Pointe-à-Pitre", "Rennes", "Saint-Denis", "Saint-Étienne", "Strasbourg", "Toulouse",
    "Tours", "Troyes",
)
_CENTS = (".00",) * 30 + ("", "", ".5", ".50", ".90", ".000", ".01", ".3333")


class PieceIds:
    """Distinct UUIDs that look random: the low 62 bits are a counter, multiplied by an odd factor."""

    _FACTOR = 0x9E3779B97F4A7C15

    def __init__(self, rng):
        self._rng = rng
        self._count = 0

    def next(self):
        self._count += 1
        high = self._rng.getrandbits(60)
        low = self._count * self._FACTOR & 0x3FFFFFFFFFFFFFFF
        text = f"{high:015x}{0x8000000000000000 | low:016x}"
        return f"{text[:8]}-{text[8:12]}-4{text[12:15]}-{text[15:19]}-{text[19:]}"


def piece_json(id, mail_object, status, reason, deposit):
    """`status` and `reason` are JSON text; `deposit` a timestamp or None."""
    deposited = f',"dateDepot":"{deposit}"' if deposit else ""
    return f'{{"id":"{id}","objetCourrier":{mail_object},"statut":{status},"motif":{reason}{deposited}}}'


def bundle_json(id, name, creation, third_party, loan, amount, put_in_place, pieces):
    """One line. `id` and `name` are JSON text, `amount` is the number's text, `pieces` are JSON texts."""
    return (
        f'{{"id":{id},"nomDossier":{name},"creationDate":"{creation}","numeroTiers":"{third_party}",'
        f'"numeroPret":"{loan}","montantOpportunite":{amount},'
        f'"opportuniteMiseEnPlace":{"true" if put_in_place else "false"},"piecesAttendues":[{",".join(pieces)}]}}'
    )


def bundle_line(rng, piece_ids, number, third_party):
    """The bundle with running number `number` (from 1) of that third party, in a random state."""
    product = pick(rng, _PRODUCTS)
    day = int(rng.random() * calendar.DAYS_OF_CREATION)
    one_of, others_of = pick(rng, _STATE_BY_PERCENT)
    pieces = []
    if one_of:
        count = 1 + int(rng.random() * len(product.documents))
        special = int(rng.random() * count)
        for index in range(count):
            piece = pick(rng, one_of if index == special else others_of)
            deposit = calendar.deposit_moment(rng, day) if piece.deposited else None
            pieces.append(piece_json(piece_ids.next(), product.documents[index], piece.status, piece.reason, deposit))
    return bundle_json(
        id=f'"L-{calendar.year_of(day)}-{number:07d}"',
        name=f'"{product.name} – {pick(rng, _TOWNS)}"',
        creation=calendar.moment(rng, day),
        third_party=third_party,
        loan=f"P-{number * 7_368_787 % 10_000_000:07d}",
        amount=f"{product.min_amount + int(rng.random() * product.span)}{pick(rng, _CENTS)}",
        put_in_place=rng.random() < 0.3,
        pieces=pieces,
    )
