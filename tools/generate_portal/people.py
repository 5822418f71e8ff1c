"""Third parties (tiers): their names, users and managers."""

from .text import encode, pick

CLIENT = "sub-client-1"
MANAGER = "sub-gestionnaire-1"
ADMINISTRATOR = "sub-administrateur-1"

THIRD_PARTIES_OF_A_MANAGER = 60

FIRST_NAMES = (
    "Adèle", "Agnès", "Aïcha", "Alain", "Alexandre", "Amélie", "Anaïs", "André", "Anne-Sophie", "Antoine",
    "Aurélie", "Baptiste", "Béatrice", "Benoît", "Bérénice", "Camille", "Cécile", "Cédric", "Céline", "Chloé",
    "Claire", "Clément", "Corentin", "Damien", "David", "Delphine", "Édouard", "Élise", "Élodie", "Émilie",
    "Éric", "Étienne", "Fabien", "Farid", "Florence", "François", "Françoise", "Gaëlle", "Geneviève", "Gérard",
    "Guillaume", "Hélène", "Hervé", "Hugo", "Inès", "Isabelle", "Jean-Baptiste", "Jean-François", "Jérôme",
    "Joël", "Julie", "Karim", "Laëtitia", "Laure", "Léa", "Loïc", "Louis", "Lucie", "Maël", "Maëlys",
    "Marie-Thérèse", "Mathieu", "Maxime", "Mélanie", "Michèle", "Nadia", "Nathalie", "Nicolas", "Noémie",
    "Océane", "Olivier", "Pascal", "Philippe", "Pierre", "Quentin", "Raphaël", "Régis", "Rémi", "Romain",
    "Samira", "Sébastien", "Solène", "Sophie", "Stéphane", "Théo", "Thérèse", "Thomas", "Timothée", "Valérie",
    "Véronique", "Victor", "Vincent", "Xavier", "Yann", "Yasmine", "Zoé",
)

LAST_NAMES = (
    "Aubert", "Baudoin", "Béguin", "Ben Saïd", "Bernard", "Bertrand", "Besançon", "Blanchard", "Bonnet", "Boucher",
    "Bouvier", "Brunet", "Carpentier", "Chevalier", "Clément", "Colin", "Cordonnier", "Dacosta", "D'Aubigné",
    "De La Fontaine", "Delacroix", "Delaunay", "Deschamps", "Diallo", "Dubois", "Dufour", "Dumont", "Dupré",
    "Étienne", "Fabre", "Faure", "Ferreira", "Fournier", "François", "Garnier", "Gauthier", "Gérard", "Giraud",
    "Guérin", "Guillot", "Haddad", "Hébert", "Henry", "Huet", "Jacquet", "Joly", "Klein", "Lacroix", "Lambert",
    "Lebrun", "Leclerc", "Lefèvre", "Legrand", "Le Goff", "Lemaître", "L'Hermite", "Maçon", "Mallet", "Marchand",
    "Martin", "Masson", "Mercier", "Meunier", "Michaud", "Moreau", "Morel", "Müller", "N'Diaye", "Nguyen", "Noël",
    "Ollivier", "Ouvrard", "Pélissier", "Perrin", "Petit", "Picard", "Prévost", "Renaud", "Rivière", "Robin",
    "Rousseau", "Roussel", "Saint-Martin", "Sauvage", "Schmitt", "Séguin", "Simon", "Thévenet", "Tessier", "Vasseur",
    "Vidal", "Villeneuve", "Weber", "Yildiz", "Zimmermann",
)


def third_party_number(index):
    return f"T{index + 1:06d}"


def third_party_json(number, last_name, first_name, users, managers):
    return encode({
        "numeroTiers": number,
        "nomTiers": last_name,
        "prenomTiers": first_name,
        "utilisateurs": users,
        "gestionnaires": managers,
    })


def third_party_line(rng, index, layout):
    """The third party at `index` of `layout`, as one line of JSON.

    About one in twelve has no user, and one in twelve has a spouse as second user.
    """
    users = [f"sub-client-{index + 1}"]
    household = rng.random()
    if index < layout.client_third_parties:
        users = [CLIENT]
    elif household < 1 / 12:
        users = []
    elif household < 2 / 12:
        users.append(f"sub-client-{index + 1}-conjoint")

    if index < layout.managed_third_parties:
        managers = [MANAGER]
    else:
        managers = [f"sub-gestionnaire-{2 + (index - layout.managed_third_parties) // THIRD_PARTIES_OF_A_MANAGER}"]
    if rng.random() < 0.1:
        managers.append("sub-gestionnaire-remplacement")
    if index < layout.client_third_parties:
        managers.append(ADMINISTRATOR)
    return third_party_json(third_party_number(index), pick(rng, LAST_NAMES), pick(rng, FIRST_NAMES), users, managers)
