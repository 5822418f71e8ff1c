"""The import document as a stream of lines, one entity per line."""

from itertools import chain
from random import Random

from .bundles import PieceIds, bundle_line
from .catalogue import MAIL_OBJECTS
from .people import ADMINISTRATOR, third_party_line, third_party_number
from .text import encode

DASHBOARD = "PortailClients.Dashboard.Host"
UPDATE = "PortailClients.ObjetsCourrier.Update"
SEE_DEROGATED = "PortailClients.Liasses.VoirPieceDerogee"

# One grant of each kind: to a role, to a user, to a client (an application of its own).
GRANTS = (
    {"permission": DASHBOARD, "role": "gestionnaire"},
    {"permission": DASHBOARD, "role": "administrateur"},
    {"permission": UPDATE, "utilisateur": ADMINISTRATOR},
    {"permission": SEE_DEROGATED, "client": "robot-archivage"},
)


def document(**sections):
    """The lines of a document; entities are lines of JSON."""
    opening = "{"
    for name, entities in sections.items():
        yield f'{opening}"{name}":[\n'
        before = " "
        for entity in entities:
            yield f"{before}{entity}\n"
            before = ","
        yield "]"
        opening = ",\n"
    yield "}\n"


def third_party_lines(layout, seed, first=0):
    rng = Random(f"{seed}/tiers")
    return (third_party_line(rng, index, layout) for index in range(first, layout.third_parties))


def bundle_lines(layout, seed, first=0):
    rng = Random(f"{seed}/liasses")
    piece_ids = PieceIds(Random(f"{seed}/pieces"))
    for number, slot in enumerate(layout.scattered_slots(first), first + 1):
        yield bundle_line(rng, piece_ids, number, third_party_number(layout.third_party_of(slot)))


def portal(layout, seed, with_templates=False, third_parties=(), bundles=()):
    """A complete portal. `third_parties` and `bundles` are lines that replace the first generated ones."""
    return document(
        objetsCourrier=(mail_object.to_json(with_templates) for mail_object in MAIL_OBJECTS),
        tiers=chain(third_parties, third_party_lines(layout, seed, len(third_parties))),
        liasses=chain(bundles, bundle_lines(layout, seed, len(bundles))),
        droits=map(encode, GRANTS),
    )
