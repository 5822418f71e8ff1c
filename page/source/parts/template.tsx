// A download button for a mail object's template file. The request needs the caller's token, so a plain link does not suffice.
import { useState } from "preact/hooks";
import { words } from "../preferences";
import { request } from "../service/ask";
import type { MailObject } from "../service/types";
import { Fault } from "./fault";
import { save } from "./save";

export function Template({ of }: { of: MailObject & { nomFichier?: string | null } }) {
  const { template, templateShort } = words.value;
  const [fault, setFault] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const { id, lienFichier, nomFichier, typeObjet } = of;
  if (!lienFichier) return null;

  async function download() {
    setBusy(true);
    setFault(null);
    try {
      // The path of lienFichier, relative to the page: a proxy may add a base path that the portal does not know.
      const response = await request(`api/app/objet-courrier/${id}/fichier-modele`);
      save(await response.blob(), nomFichier ?? fileNameIn(response.headers.get("Content-Disposition")) ?? typeObjet);
    } catch (error) {
      setFault(error);
    }
    setBusy(false);
  }

  return (
    <span class="template">
      <button type="button" class="outline small" aria-busy={busy} aria-label={nomFichier ? undefined : `${templateShort} ${typeObjet}`} onClick={download}>
        <span aria-hidden="true">↓ </span>
        {nomFichier ? template(nomFichier) : templateShort}
      </button>
      {fault !== null && <Fault fault={fault} />}
    </span>
  );
}

// filename* of RFC 6266, which the service always sends.
function fileNameIn(disposition: string | null): string | null {
  const found = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? "");
  return found ? decodeURIComponent(found[1]!) : null;
}
