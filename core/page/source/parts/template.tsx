// The template file of a mail object, to download. It is asked for with the caller's token, so it is no plain link.
import { useState } from "preact/hooks";
import { words } from "../preferences";
import { ask } from "../service/ask";
import type { MailObject } from "../service/types";
import { Fault } from "./fault";
import { save } from "./save";

export function Template({ of }: { of: MailObject & { nomFichier?: string | null } }) {
  const [fault, setFault] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const { id, lienFichier, nomFichier, typeObjet } = of;
  if (!lienFichier) return null;

  async function download() {
    setBusy(true);
    setFault(null);
    try {
      // Where lienFichier leads, seen from here: a proxy may have put all of it below a path that the portal does not know.
      const answer = await ask(`api/app/objet-courrier/${id}/fichier-modele`);
      save(await answer.blob(), nomFichier ?? nameIn(answer.headers.get("Content-Disposition")) ?? typeObjet);
    } catch (error) {
      setFault(error);
    }
    setBusy(false);
  }

  return (
    <span class="template">
      <button type="button" class="outline small" aria-busy={busy} aria-label={words.value.template(nomFichier ?? typeObjet)} onClick={download}>
        <span aria-hidden="true">↓ </span>
        {nomFichier ?? words.value.templateShort}
      </button>
      {fault !== null && <Fault fault={fault} />}
    </span>
  );
}

// filename* of RFC 6266, which the service always sends.
function nameIn(disposition: string | null): string | null {
  const found = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? "");
  return found ? decodeURIComponent(found[1]!) : null;
}
