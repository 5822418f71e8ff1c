import os

from portail_client import AuthenticatedClient
from portail_client.api.liasse import get_bundle
from portail_client.api.objet_courrier import get_mail_object, list_mail_objects, update_mail_object
from portail_client.models import ObjetCourrierUpdateDto, TypeAffectation

client = AuthenticatedClient(os.environ["PORTAIL"], os.environ["TOKEN"], verify_ssl=os.environ["CURL_CA_BUNDLE"])

page = list_mail_objects.sync(client=client, skip_count=0, max_result_count=5)
print(page.total_count, [mail_object.id for mail_object in page.items])

read = get_mail_object.sync_detailed(6, client=client)
update = ObjetCourrierUpdateDto(utilisable_pour_liasse=True, type_affectation=TypeAffectation.RIEN)
for _ in range(2):
    changed = update_mail_object.sync_detailed(6, client=client, body=update, if_match=read.headers["ETag"])
    print(changed.status_code.value)

bundle = get_bundle.sync("L-2024-0003", client=client)
print([piece.statut for piece in bundle.pieces_attendues])
