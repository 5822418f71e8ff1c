// The table of mail objects, with the two editable fields.
import { useRef, useState } from "preact/hooks";
import { Fault, SectionFault } from "../parts/fault";
import { Loading, Title } from "../parts/parts";
import { Template } from "../parts/template";
import { words } from "../preferences";
import { request, requestJson, ServiceError } from "../service/ask";
import { wholeValue } from "../service/json";
import { useResource } from "../service/loaded";
import type { Assignment, MailObject } from "../service/types";

const assignments: Assignment[] = ["Rien", "Optionnel", "Obligatoire"];
type Choice = Pick<MailObject, "utilisablePourLiasse" | "typeAffectation">;

export function MailObjects({ mayChange }: { mayChange: boolean }) {
  const { mailObjects, mailObjectsText, readOnly, code, description, templateShort, usable, assignment, search } = words.value;
  const loaded = useResource<MailObject[]>("mail objects", (signal) => requestJson("api/app/objet-courrier/list-all", { signal }));
  const [searchText, setSearchText] = useState("");
  const shown = loaded.value?.filter(({ typeObjet, description: text }) => `${typeObjet} ${text}`.toLowerCase().includes(searchText.toLowerCase()));
  return (
    <>
      <Title text={mailObjects} />
      <p class="lead">{mayChange ? mailObjectsText : readOnly}</p>
      {loaded.fault !== null && <SectionFault fault={loaded.fault} wait={loaded.wait} retry={loaded.retry} />}
      {!loaded.value && loaded.fault === null && <Loading />}
      {shown && (
        <>
          <input class="panel search" type="search" aria-label={search} placeholder={search} value={searchText} onInput={({ currentTarget }) => setSearchText(currentTarget.value)} />
          <table class="mail-objects panel" aria-label={mailObjects}>
            <thead>
              <tr>
                {[code, description, templateShort, usable, assignment].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {shown.map((object) => (
                <MailObjectRow key={object.id} initial={object} />
              ))}
            </tbody>
          </table>
        </>
      )}
    </>
  );
}

// The outcome of a row's last change.
type Outcome = { kind: "saved" } | { kind: "conflict" } | { kind: "refused"; fault: unknown } | null;

function MailObjectRow({ initial }: { initial: MailObject }) {
  const { usable, usableOf, assignment, assignmentOf, assignments: names } = words.value;
  const [stored, setStored] = useState(initial);
  const [tag, setTag] = useState<string | null>(null);
  const [choice, setChoice] = useState<Choice>(initial);
  const [outcome, setOutcome] = useState<Outcome>(null);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLSelectElement>(null);
  const address = `api/app/objet-courrier/${stored.id}`;
  const isChanged = !isSame(choice, stored);
  const { typeObjet } = stored;

  function choose(part: Partial<Choice>) {
    setChoice({ ...choice, ...part });
    setOutcome(null);
  }

  async function apply(response: Response) {
    const object = await wholeValue<MailObject>(response);
    setTag(response.headers.get("ETag"));
    setStored(object);
    setChoice(object);
  }

  // Returns the ETag of the object that is shown, or null if the stored one differs. The list has no ETags of single objects.
  async function currentTag(): Promise<string | null> {
    if (tag !== null) return tag;
    const response = await request(address);
    return isSame(await wholeValue<MailObject>(response), stored) ? response.headers.get("ETag") : null;
  }

  // Runs one change at a time. Its buttons may disappear afterwards, so the focus moves to the row's field.
  async function runExclusively(work: () => Promise<Outcome>) {
    if (busy) return;
    setBusy(true);
    setOutcome(
      await work().catch((fault: unknown): Outcome => (fault instanceof ServiceError && fault.status === 412 ? { kind: "conflict" } : { kind: "refused", fault })),
    );
    setBusy(false);
    field.current?.focus();
  }

  const save = () =>
    runExclusively(async () => {
      const etag = await currentTag();
      if (etag === null) return { kind: "conflict" };
      const { utilisablePourLiasse, typeAffectation } = choice;
      await apply(
        await request(address, {
          method: "PUT",
          headers: { "Content-Type": "application/json", "If-Match": etag },
          body: JSON.stringify({ utilisablePourLiasse, typeAffectation }),
        }),
      );
      return { kind: "saved" };
    });
  const reload = () =>
    runExclusively(async () => {
      await apply(await request(address));
      return null;
    });

  const cancel = () => {
    choose(stored);
    field.current?.focus();
  };

  return (
    <tr class={isChanged ? "changed" : ""}>
      <th scope="row">{typeObjet}</th>
      <td class="description">{stored.description}</td>
      <td class="file">
        <Template of={stored} />
      </td>
      <td class="usable">
        <label>
          <input
            type="checkbox"
            role="switch"
            aria-label={usableOf(typeObjet)}
            checked={choice.utilisablePourLiasse}
            onChange={({ currentTarget }) => choose({ utilisablePourLiasse: currentTarget.checked })}
          />
          <span class="on-phone">{usable}</span>
        </label>
      </td>
      <td class="assignment">
        <label>
          <span class="on-phone">{assignment}</span>
          <select
            ref={field}
            aria-label={assignmentOf(typeObjet)}
            value={choice.typeAffectation}
            onChange={({ currentTarget }) => choose({ typeAffectation: currentTarget.value as Assignment })}
          >
            {assignments.map((each) => (
              <option key={each} value={each}>
                {names[each]}
              </option>
            ))}
          </select>
        </label>
      </td>
      <td class="outcome">
        <OutcomeMessage outcome={outcome} code={typeObjet} reload={() => void reload()} />
        {isChanged && outcome?.kind !== "conflict" && (
          <SaveButtons code={typeObjet} busy={busy} save={() => void save()} cancel={cancel} />
        )}
      </td>
    </tr>
  );
}

function SaveButtons({ code, busy, save, cancel }: { code: string; busy: boolean; save: () => void; cancel: () => void }) {
  const { save: saveWord, saveOf, cancel: cancelWord, cancelOf } = words.value;
  return (
    <span class="decision">
      <button type="button" class="small" aria-label={saveOf(code)} aria-busy={busy} onClick={save}>
        {saveWord}
      </button>
      <button type="button" class="outline secondary small" aria-label={cancelOf(code)} onClick={cancel}>
        {cancelWord}
      </button>
    </span>
  );
}

function OutcomeMessage({ outcome, code, reload }: { outcome: Outcome; code: string; reload: () => void }) {
  const { saved, changedMeanwhile, reload: reloadWord, reloadOf } = words.value;
  return (
    <>
      <span role="status" class="saved">
        {outcome?.kind === "saved" && `✓ ${saved}`}
      </span>
      {outcome?.kind === "conflict" && (
        <div class="notice fault">
          <strong role="alert">{changedMeanwhile}</strong>
          <button type="button" class="outline secondary small" aria-label={reloadOf(code)} onClick={reload}>
            {reloadWord}
          </button>
        </div>
      )}
      {outcome?.kind === "refused" && <Fault fault={outcome.fault} />}
    </>
  );
}

function isSame(a: Choice, b: Choice): boolean {
  return a.utilisablePourLiasse === b.utilisablePourLiasse && a.typeAffectation === b.typeAffectation;
}
