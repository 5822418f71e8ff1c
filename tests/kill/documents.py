"""The documents of the kill test: one imported before, and one whose import is killed."""

from portal import bundle  # in tests/support, which support.program adds to the path


def portal(version, count):
    """Returns a document with `count` bundles. Every entity contains its version."""
    objects = [{"id": i, "typeObjet": f"TYPE{i}", "description": f"Pièce {i}, version {version}",
                "utilisablePourLiasse": True, "typeAffectation": "Rien"} for i in range(1, 41)]
    people = [{"numeroTiers": f"T{i}", "nomTiers": f"Durand {version}", "prenomTiers": "Chloé",
               "utilisateurs": ["sub-client"] if i == 0 else [], "gestionnaires": []} for i in range(200)]
    bundles = [bundle(id=f"L-{i:05}", nomDossier=f"Prêt, version {version}", numeroTiers=f"T{i % 200}", numeroPret=f"P-{version}",
                      montantOpportunite=150000 + version,
                      piecesAttendues=[{"id": f"3f2504e0-4f89-41d3-9a0c-{i:012x}", "objetCourrier": i % 40 + 1,
                                        "statut": "Déposé", "motif": f"version {version}",
                                        "dateDepot": f"2024-02-0{version}T09:00:00+01:00"}])
               for i in range(count)]
    return {"objetsCourrier": objects, "tiers": people, "liasses": bundles}


def entities(document):
    """Returns the entities of a document, by section and identifier, without members that are null: an export has all of them."""
    keys = {"objetsCourrier": "id", "tiers": "numeroTiers", "liasses": "id"}
    return {(section, entity[key]): {name: value for name, value in entity.items() if value is not None}
            for section, key in keys.items() for entity in document.get(section, [])}
