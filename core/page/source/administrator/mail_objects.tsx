// The mail objects, and the two fields that belong to the portal, edited in place.
import { useRef, useState } from "preact/hooks";
import { Fault } from "../parts/fault";
import { Loading, Title } from "../parts/parts";
import { Template } from "../parts/template";
import { words } from "../preferences";
import { ask, askJson, Refusal } from "../service/ask";
import { wholeValue } from "../service/json";
import { useLoaded } from "../service/loaded";
import type { Assignment, MailObject } from "../service/types";

const assignments: Assignment[] = ["Rien", "Optionnel", "Obligatoire"];
type Choice = Pick<MailObject, "utilisablePourLiasse" | "typeAffectation">;

export function MailObjects({ mayChange }: { mayChange: boolean }) {
  const { mailObjects, mailObjectsText, readOnly, code, description, templateShort, usable, assignment, search } = words.value;
  const loaded = useLoaded<MailObject[]>("mail objects", (signal) => askJson("api/app/objet-courrier/list-all", { signal }));
  const [wanted, setWanted] = useState("");
  const shown = loaded.value?.filter(({ typeObjet, description: text }) => `${typeObjet} ${text}`.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      <Title text={mailObjects} />
      <p class="lead">{mayChange ? mailObjectsText : readOnly}</p>
      {loaded.fault !== null && <Fault fault={loaded.fault} wait={loaded.wait} again={loaded.again} />}
      {!loaded.value && loaded.fault === null && <Loading />}
      {shown && (
        <>
          <input class="panel search" type="search" aria-label={search} placeholder={search} value={wanted} onInput={({ currentTarget }) => setWanted(currentTarget.value)} />
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
                <MailObjectRow key={object.id} listed={object} />
              ))}
            </tbody>
          </table>
        </>
      )}
    </>
  );
}

// What a row was told last: of a change, or of why there was none.
type Outcome = { kind: "saved" } | { kind: "conflict" } | { kind: "refused"; fault: unknown } | null;

function MailObjectRow({ listed }: { listed: MailObject }) {
  const { usable, usableOf, assignment, assignmentOf, assignments: names } = words.value;
  const [stored, setStored] = useState(listed);
  const [tag, setTag] = useState<string | null>(null);
  const [choice, setChoice] = useState<Choice>(listed);
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

  async function take(answer: Response) {
    const object = await wholeValue<MailObject>(answer);
    setTag(answer.headers.get("ETag"));
    setStored(object);
    setChoice(object);
  }

  // The list has no tag of one object: it is asked for, and what was shown must still be what is stored.
  async function tagOfWhatIsShown(): Promise<string | null> {
    if (tag !== null) return tag;
    const answer = await ask(address);
    return isSame(await wholeValue<MailObject>(answer), stored) ? answer.headers.get("ETag") : null;
  }

  // Its buttons may be gone afterwards: the focus stays in the row.
  async function doing(work: () => Promise<Outcome>) {
    if (busy) return;
    setBusy(true);
    setOutcome(
      await work().catch((fault: unknown): Outcome => (fault instanceof Refusal && fault.status === 412 ? { kind: "conflict" } : { kind: "refused", fault })),
    );
    setBusy(false);
    field.current?.focus();
  }

  const save = () =>
    doing(async () => {
      const held = await tagOfWhatIsShown();
      if (held === null) return { kind: "conflict" };
      const { utilisablePourLiasse, typeAffectation } = choice;
      await take(
        await ask(address, {
          method: "PUT",
          headers: { "Content-Type": "application/json", "If-Match": held },
          body: JSON.stringify({ utilisablePourLiasse, typeAffectation }),
        }),
      );
      return { kind: "saved" };
    });
  const reload = () =>
    doing(async () => {
      await take(await ask(address));
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
        <Result outcome={outcome} code={typeObjet} reload={() => void reload()} />
        {isChanged && outcome?.kind !== "conflict" && (
          <Decision code={typeObjet} busy={busy} save={() => void save()} cancel={cancel} />
        )}
      </td>
    </tr>
  );
}

function Decision({ code, busy, save, cancel }: { code: string; busy: boolean; save: () => void; cancel: () => void }) {
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

function Result({ outcome, code, reload }: { outcome: Outcome; code: string; reload: () => void }) {
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
