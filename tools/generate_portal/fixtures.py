"""The directory fixtures/: the sample portal, its template files, and the personas."""

from pathlib import Path

from . import pdf, showcase
from .catalogue import MAIL_OBJECTS
from .document import GRANTS, SEE_DEROGATED, document, portal
from .forms import FORMS
from .layout import Layout
from .people import ADMINISTRATOR, CLIENT, MANAGER
from .text import encode

DIRECTORY = Path(__file__).resolve().parents[2] / "fixtures"

_SEED = 1789
_LAYOUT = Layout(bundles=1000, third_parties=200, client_bundles=6, client_third_parties=2,
                 managed_bundles=300, managed_third_parties=60)

_PERSONAS = (
    {
        "name": "client", "sub": CLIENT, "roles": ["client"], "permissions": [],
        "description": "Chloé Durand: her own files and her husband's.",
        "translations": {"fr": {"name": "Cliente", "description": "Chloé Durand\u00a0: ses dossiers et ceux de son mari."}},
    },
    {
        "name": "manager", "sub": MANAGER, "roles": ["gestionnaire"], "permissions": [],
        "description": "The dashboard of the manager's clients and their files.",
        "translations": {"fr": {"name": "Gestionnaire", "description": "Le tableau de bord de ses clients et de leurs dossiers."}},
    },
    {
        "name": "administrator", "sub": ADMINISTRATOR, "roles": ["administrateur"], "permissions": [SEE_DEROGATED],
        "description": "The settings of the document types, and the files of the Durand family.",
        "translations": {"fr": {"name": "Administratrice", "description": "Les réglages des types de document, et les dossiers de la famille Durand."}},
    },
)


def _personas():
    return "[\n " + "\n,".join(map(encode, _PERSONAS)) + "\n]\n"


def _portal():
    handwritten = [bundle.to_json() for bundle in (*showcase.CLIENT_BUNDLES, *showcase.UNUSUAL_BUNDLES)]
    return "".join(portal(_LAYOUT, _SEED, with_templates=True, third_parties=showcase.THIRD_PARTIES, bundles=handwritten))


def _development():
    return "".join(document(
        objetsCourrier=(mail_object.to_json(False) for mail_object in MAIL_OBJECTS),
        tiers=showcase.THIRD_PARTIES,
        liasses=(bundle.to_json() for bundle in showcase.CLIENT_BUNDLES),
        droits=map(encode, GRANTS)))


def _deposits():
    return "".join(document(liasses=(bundle.to_json() for bundle in showcase.AFTER_DEPOSITS)))


def files():
    """The bytes of every generated file, by path in the directory."""
    generated = {
        "portail.json": _portal().encode(),
        "development.json": _development().encode(),
        "depots.json": _deposits().encode(),
        "personas.json": _personas().encode(),
    }
    generated.update((f"modeles/{form.file}", pdf.render(form)) for form in FORMS)
    return generated


def write(directory=DIRECTORY):
    for path, content in files().items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def differences(directory=DIRECTORY):
    """A line for each generated file that is missing or differs."""
    for path, content in files().items():
        target = directory / path
        if not target.is_file():
            yield f"{target}: missing"
        elif target.read_bytes() != content:
            yield f"{target}: differs from the generated file"
