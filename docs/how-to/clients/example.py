import os

from portail import Portail, PortailError

portail = Portail(os.environ["PORTAIL"], lambda: os.environ["TOKEN"])
print(len(list(portail.mail_objects(page_size=15))), "mail objects")

bundles, _ = portail.call("/api/app/liasse/dashboard-list")
print(sum(bundle["montantOpportunite"] for bundle in bundles), "euros in", len(bundles), "bundles")

body, tag = portail.call("/api/app/objet-courrier/4")
portail.call("/api/app/objet-courrier/4", "PUT", body | {"typeAffectation": "Rien"}, tag)
try:
    portail.call("/api/app/objet-courrier/4", "PUT", body, tag)
except PortailError as error:
    print(error.status)

for _ in range(20):
    portail.call("/api/app/objet-courrier/3")  # more than the limit: some wait
print("20 answers")
