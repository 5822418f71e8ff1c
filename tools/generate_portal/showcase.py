"""The handwritten bundles of the fixtures: the client's, and unusual ones."""

from dataclasses import dataclass, replace

from .bundles import (
    DECOMPOSED_DEROGATED,
    DECOMPOSED_DEROGATED_FEMININE,
    DECOMPOSED_VALIDATED,
    bundle_json,
    piece_json,
)
from .catalogue import ID_OF, MAIL_OBJECTS
from .people import ADMINISTRATOR, CLIENT, MANAGER, third_party_json, third_party_number
from .text import encode


@dataclass(frozen=True)
class Piece:
    id: str
    document: str  # the code of its mail object
    status: str
    reason: str | None = None
    deposit: str | None = None

    def to_json(self):
        return piece_json(self.id, ID_OF[self.document], encode(self.status), encode(self.reason), self.deposit)


@dataclass(frozen=True)
class Bundle:
    id: str
    name: str
    creation: str
    owner: int  # the index of its third party
    loan: str
    amount: str  # the number's text
    put_in_place: bool
    pieces: tuple[Piece, ...]

    def to_json(self):
        return bundle_json(encode(self.id), encode(self.name), self.creation, third_party_number(self.owner), self.loan,
                           self.amount, self.put_in_place, (piece.to_json() for piece in self.pieces))

    def with_piece(self, index, **changes):
        """The same bundle after a change of one piece."""
        pieces = list(self.pieces)
        pieces[index] = replace(pieces[index], **changes)
        return replace(self, pieces=tuple(pieces))


# The client reads her own bundles and her husband's.
THIRD_PARTIES = (
    third_party_json(third_party_number(0), "Durand", "Chloé", [CLIENT], [MANAGER, ADMINISTRATOR]),
    third_party_json(third_party_number(1), "Durand", "Jérémie", ["sub-client-2", CLIENT], [MANAGER, ADMINISTRATOR]),
)

COMPLETE = Bundle(
    "L-2024-0001", "Prêt immobilier – résidence principale", "2024-01-15T10:30:00+01:00", 0, "P-778", "150000.00", True, (
        Piece("3f2504e0-4f89-41d3-9a0c-0305e82c3301", "CNI", "Validé", None, "2024-02-01T09:00:00+01:00"),
        Piece("7d9a1f52-08c4-4e0b-8f5e-2a6b1c3d4e01", "COMPROMIS_VENTE", "Validé", None, "2024-02-01T09:02:11+01:00"),
        Piece("7d9a1f52-08c4-4e0b-8f5e-2a6b1c3d4e02", "BULLETIN_SALAIRE", DECOMPOSED_VALIDATED, None,
              "2024-02-03T18:45:30.25+01:00"),
        Piece("7d9a1f52-08c4-4e0b-8f5e-2a6b1c3d4e03", "RIB", "Validé", "Accepté malgré une date ancienne"),
    ))

TWO_THIRDS = Bundle(
    "L-2024-0002", "Prêt travaux – isolation des combles", "2024-05-21T14:05:09.1234567+02:00", 0, "P-1042", "23500.5",
    False, (
        Piece("1b671a64-40d5-491e-99b0-da01ff1f3341", "DEVIS_TRAVAUX", "Validé", None, "2024-05-28T11:20:00+02:00"),
        Piece("1b671a64-40d5-491e-99b0-da01ff1f3342", "RIB", "Validé", None, "2024-05-28T09:21:40Z"),
        Piece("1b671a64-40d5-491e-99b0-da01ff1f3343", "DPE", "Attendu"),
    ))

REJECTED = Bundle(
    "L-2024-0003", "Rachat de crédits", "2024-09-02T08:00:00Z", 0, "P-1207", "87250.00", False, (
        Piece("c9bf9e57-1685-4c89-bafb-ff5af830be81", "CNI", "Attendu", "Document périmé", "2024-09-10T10:00:00+02:00"),
        Piece("c9bf9e57-1685-4c89-bafb-ff5af830be82", "TABLEAU_AMORTISSEMENT", "Validé", None, "2024-09-10T10:01:00+02:00"),
        Piece("c9bf9e57-1685-4c89-bafb-ff5af830be83", "ATTESTATION_HONNEUR", "Rejeté", "Signature absente ; page 2 manquante",
              "2024-09-10T10:02:00.500+02:00"),
        Piece("c9bf9e57-1685-4c89-bafb-ff5af830be84", "MANDAT_SEPA", "Attendu", ""),
    ))

# Created at the same instant as REJECTED, written with another offset: the id decides the order.
DEROGATED = Bundle(
    "L-2024-0004", "Crédit auto – véhicule électrique", "2024-09-02T10:00:00+02:00", 1, "P-1208", "18990.90", False, (
        Piece("e4eaaaf2-d142-41b3-b4e5-8c6f1a7d9b01", "CNI", "Validé", None, "2024-09-05T12:00:00+02:00"),
        Piece("e4eaaaf2-d142-41b3-b4e5-8c6f1a7d9b02", "JUSTIFICATIF_DOMICILE", "Dérogé"),
        Piece("e4eaaaf2-d142-41b3-b4e5-8c6f1a7d9b03", "BULLETIN_SALAIRE", "Dérogée",
              "Dérogation accordée par la direction des engagements"),
        Piece("e4eaaaf2-d142-41b3-b4e5-8c6f1a7d9b04", "BON_COMMANDE_VEHICULE", DECOMPOSED_DEROGATED),
    ))

NO_PIECES = Bundle("L-2025-0001", "Prêt étudiant", "2025-03-30T03:00:00+02:00", 1, "P-1533", "12000", False, ())

UNKNOWN_STATUS = Bundle(
    "L-2025-0002", "Prêt relais – Le Tampon", "2025-06-11T16:20:00.000+04:00", 1, "P-1598", "210000.000", False, (
        Piece("9a3c6d10-5e7f-4b21-a0d8-6f4e2c1b0a01", "ESTIMATION_BIEN", "Déposé", None, "2025-06-18T07:15:42.987654+04:00"),
        Piece("9a3c6d10-5e7f-4b21-a0d8-6f4e2c1b0a02", "OFFRE_PRET_SIGNEE", "En attente de signature"),
    ))

CLIENT_BUNDLES = (COMPLETE, TWO_THIRDS, REJECTED, DEROGATED, NO_PIECES, UNKNOWN_STATUS)

# The same bundles later: an expected piece was deposited, a rejected one was deposited again, and a derogated one
# was deposited (a deposit that also counts for callers who do not see it).
AFTER_DEPOSITS = (
    TWO_THIRDS.with_piece(2, status="Déposé", deposit="2024-06-03T19:12:05+02:00"),
    REJECTED.with_piece(0, status="Déposé", reason=None, deposit="2024-09-20T08:30:00+02:00"),
    DEROGATED.with_piece(3, deposit="2024-09-21T09:00:00Z"),
)


def _pieces(prefix, statuses):
    """One piece for each status, of consecutive mail objects; `prefix` is their id without the last two digits."""
    return tuple(Piece(f"{prefix}{number:02x}", MAIL_OBJECTS[number].type_objet, *status)
                 for number, status in enumerate(statuses))


_OTHER_THIRD_PARTY = 2  # the index of a third party of the manager
UNUSUAL_BUNDLES = (
    Bundle("L-2025-0101", "Plafond : vingt-neuf chiffres", "2025-01-01T00:00:00+01:00", _OTHER_THIRD_PARTY, "P-1601",
           "12345678901234567890123456.789", False, _pieces("5c0ffee5-0000-4000-8000-0000000001", [("Attendu",)])),
    Bundle("Dossier n° 12 (été)", "Prêt « relais » \"2 ans\" \\ repris\tde l'ancien\nsystème 🏠",
           "2024-12-31T23:59:59.9999999-10:00", _OTHER_THIRD_PARTY, "P-1602", "0", True, ()),
    Bundle("L-2025-0103", "Toutes les écritures des statuts", "2025-02-28T12:00:00+05:30", _OTHER_THIRD_PARTY, "P-1603", "0.00", False,
           _pieces("5c0ffee5-0000-4000-8000-0000000003", [
               ("Attendu",), ("Déposé", None, "2025-03-01T00:00:00-03:30"), ("Validé",), (DECOMPOSED_VALIDATED,),
               ("VALIDÉ",), ("Dérogé",), ("Dérogée",), (DECOMPOSED_DEROGATED,), (DECOMPOSED_DEROGATED_FEMININE,),
               ("DÉROGÉE",), ("derogé",), ("Dérogation accordée", "Accord du comité"), ("Suspendu",), ("Archivé",)])),
    Bundle("L-2025-0104", "Une pièce de chaque objet courrier", "2025-04-01T09:00:00+02:00", _OTHER_THIRD_PARTY, "P-1604", "1234567.8",
           True, _pieces("5c0ffee5-0000-4000-8000-0000000004", [
               ("Validé", None, "2025-04-02T09:00:00+02:00") if number % 3 == 0 else ("Attendu",)
               for number in range(len(MAIL_OBJECTS))])),
)
