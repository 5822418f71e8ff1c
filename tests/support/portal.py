"""What a host of the portal needs, made by the native program: a store, keys and tokens. Standard library only."""

import os
import subprocess

ISSUER, AUDIENCE = "https://issuer.test", "portail"


def clean_environment():
    """Returns this process's environment without settings of the portal, and without XDG_DATA_HOME, the directory of its default store."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PORTAIL_") and name != "XDG_DATA_HOME"}


def bundle(**members):
    """Returns a bundle of an import document, with these members instead of its own."""
    return {"id": "L-1", "nomDossier": "Prêt", "creationDate": "2024-01-15T10:30:00+01:00", "numeroTiers": "T1", "numeroPret": "P-1",
            "montantOpportunite": 150000.00, "opportuniteMiseEnPlace": False, "piecesAttendues": []} | members


def small_portal(mail_objects=3, bundles=2, user="sub-client"):
    """Returns a document with so many mail objects and bundles; every bundle belongs to `user`."""
    return {
        "objetsCourrier": [{"id": i, "typeObjet": f"TYPE{i}", "description": f"Pièce numéro {i}, décrite en détail",
                            "utilisablePourLiasse": True, "typeAffectation": "Rien"} for i in range(1, mail_objects + 1)],
        "tiers": [{"numeroTiers": "T1", "nomTiers": "Durand", "prenomTiers": "Chloé", "utilisateurs": [user], "gestionnaires": []}],
        "liasses": [bundle(id=f"L-{i:05}", piecesAttendues=[{"id": f"3f2504e0-4f89-41d3-9a0c-{i:012x}", "objetCourrier": 1,
                                                             "statut": "Attendu", "motif": None, "dateDepot": None}])
                    for i in range(bundles)],
    }


class Portal:
    """The native program, with keys.json and public.json in `folder`, by which it makes tokens of `issuer`."""

    def __init__(self, program, folder, issuer=ISSUER, audience=AUDIENCE):
        self.program, self.issuer, self.audience = program, issuer, audience
        self.keys, self.public = folder / "keys.json", folder / "public.json"

    def run(self, *arguments):
        """Runs the program, which must succeed; returns its standard output."""
        return subprocess.run([self.program, *arguments], check=True, stdout=subprocess.PIPE, text=True, env=clean_environment()).stdout

    def make_keys(self, *flags):
        self.run("keys", "make", "--output", self.keys, *flags)
        self.run("keys", "public", "--input", self.keys, "--output", self.public)

    def token(self, subject, *flags):
        return self.run("token", "--keys", self.keys, "--issuer", self.issuer, "--audience", self.audience, "--subject", subject, *flags).strip()

    def bearer(self, subject, *flags):
        """Returns the header of a request."""
        return {"Authorization": f"Bearer {self.token(subject, *flags)}"}

    @property
    def settings(self):
        """Returns the settings of a host on loopback that accepts these tokens, as environment variables."""
        return {"PORTAIL_ISSUER": self.issuer, "PORTAIL_AUDIENCE": self.audience, "PORTAIL_TRANSPORT": "loopback",
                "PORTAIL_JWKS": self.public.read_text()}
