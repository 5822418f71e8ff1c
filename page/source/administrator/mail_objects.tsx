// The table of mail objects, with the two editable fields.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Fault, SectionFault } from "../parts/fault";
import { Loading, Title } from "../parts/parts";
import { Template } from "../parts/template";
import { language, words } from "../preferences";
import { replaceQuery, route } from "../route";
import { folded, wordsOf } from "../search";
import { request, requestJson, ServiceError } from "../service/ask";
import { wholeValue } from "../service/json";
import { useResource } from "../service/loaded";
import type { Assignment, MailObject } from "../service/types";
import { session } from "../session";
import { draftOf, drafts, isSame, type Choice } from "./drafts";

const assignments: Assignment[] = ["Rien", "Optionnel", "Obligatoire"];

// Where the user left the list: the scroll position, and the object that was edited last. Kept at most until the session ends.
const lastView = { top: 0, edited: null as number | null };
session.subscribe((current) => {
  if (!current) Object.assign(lastView, { top: 0, edited: null });
});

export function MailObjects({ mayChange }: { mayChange: boolean }) {
  const { mailObjects, mailObjectsText, readOnly, description, templateShort, usable, usableText, assignment, assignmentText, noneOfTypes } = words.value;
  const { search: searchWord } = words.value;
  const loaded = useResource<MailObject[]>("mail objects", (signal) => requestJson("api/app/objet-courrier/list-all", { signal }));
  const searchText = new URLSearchParams(route.value.query).get("recherche") ?? "";
  const search = (text: string) => replaceQuery("mail-objects", text && new URLSearchParams({ recherche: text }).toString());
  const isLoaded = loaded.value !== null;
  useLayoutEffect(() => {
    if (!isLoaded) return undefined;
    if (lastView.top > 0) scrollTo(0, lastView.top);
    return () => {
      lastView.top = scrollY;
    };
  }, [isLoaded]);
  const searched = wordsOf(searchText);
  const shown = loaded.value?.filter((object) => {
    const text = folded(`${object.typeObjet} ${object.description}`);
    return searched.every((word) => text.includes(word));
  });
  // A search that hides a row and shows it again makes it from the list.
  const update = (object: MailObject) => loaded.value!.splice(loaded.value!.findIndex(({ id }) => id === object.id), 1, object);
  const { compare } = new Intl.Collator(language.value);
  shown?.sort((a, b) => compare(a.description, b.description));
  return (
    <>
      <Title text={mailObjects} />
      <p class="lead">{mayChange ? mailObjectsText : readOnly}</p>
      <dl class="meanings">
        <dt>{usable}</dt>
        <dd>{usableText}</dd>
        <dt>{assignment}</dt>
        <dd>{assignmentText}</dd>
      </dl>
      {loaded.fault !== null && <SectionFault fault={loaded.fault} wait={loaded.wait} retry={loaded.retry} />}
      {!loaded.value && loaded.fault === null && <Loading />}
      {shown && (
        <>
          <input class="panel search" type="search" aria-label={searchWord} placeholder={searchWord} value={searchText} onInput={({ currentTarget }) => search(currentTarget.value)} />
          <table class="mail-objects panel" aria-label={mailObjects}>
            <thead>
              <tr>
                {[description, templateShort, usable, assignment].map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {shown.map((object) => (
                <MailObjectRow key={object.id} initial={object} update={update} />
              ))}
            </tbody>
          </table>
          {shown.length === 0 && <p class="notice">{noneOfTypes}</p>}
        </>
      )}
    </>
  );
}

// The outcome of a row's last change.
type Outcome = { kind: "saved" } | { kind: "refused"; fault: unknown } | null;

function MailObjectRow({ initial, update }: { initial: MailObject; update: (object: MailObject) => void }) {
  const { usable, usableOf, assignment, assignmentOf, assignments: names } = words.value;
  const [draft] = useState(() => draftOf(initial));
  const [stored, setStored] = useState(initial);
  const [tag, setTag] = useState<string | null>(null);
  const [choice, setChoice] = useState<Choice>(draft?.choice ?? initial);
  // Another user has changed the object since the user's first change; until the user's choice is the stored one.
  const [isConflict, setConflict] = useState(draft !== undefined && !isSame(draft.base, initial));
  const [outcome, setOutcome] = useState<Outcome>(null);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLSelectElement>(null);
  const row = useRef<HTMLTableRowElement>(null);
  const { id, typeObjet, description } = stored;
  const address = `api/app/objet-courrier/${id}`;
  const isChanged = !isSame(choice, stored);

  function choose(next: Choice, current: Choice = stored) {
    lastView.edited = id;
    setChoice(next);
    if (isSame(next, current)) {
      drafts.delete(id);
      setConflict(false);
    } else {
      drafts.set(id, { choice: next, base: drafts.get(id)?.base ?? current });
    }
  }
  const change = (part: Partial<Choice>) => {
    choose({ ...choice, ...part });
    setOutcome(null);
  };

  // The object that was edited last has the focus when the user comes back to the list, unless the user has moved it since.
  useLayoutEffect(() => {
    if (id === lastView.edited && document.activeElement?.matches("h1")) field.current?.focus({ preventScroll: true });
  }, []);

  async function read(response: Response) {
    const object = await wholeValue<MailObject>(response);
    setTag(response.headers.get("ETag"));
    setStored(object);
    update(object);
    return object;
  }

  // Keeps the user's choice beside the value that another user has saved.
  async function onConflict(response: Response): Promise<Outcome> {
    const object = await read(response);
    setConflict(true);
    choose(choice, object);
    return isSame(choice, object) ? { kind: "saved" } : null;
  }

  async function put(): Promise<Outcome> {
    let etag = tag;
    if (etag === null) {
      // The list has no ETags of single objects.
      const response = await request(address);
      if (!isSame(await wholeValue<MailObject>(response.clone()), stored)) return onConflict(response);
      etag = response.headers.get("ETag")!;
    }
    const { utilisablePourLiasse, typeAffectation } = choice;
    const headers = { "Content-Type": "application/json", "If-Match": etag };
    const object = await read(await request(address, { method: "PUT", headers, body: JSON.stringify({ utilisablePourLiasse, typeAffectation }) }));
    choose(object, object);
    return { kind: "saved" };
  }

  // Saves one change at a time. Its buttons disappear afterwards, so the focus moves to the row's field.
  async function save() {
    if (busy) return;
    setBusy(true);
    try {
      setOutcome(
        await put().catch(async (fault: unknown) => {
          if (fault instanceof ServiceError && fault.status === 412) return onConflict(await request(address));
          throw fault;
        }),
      );
    } catch (fault) {
      setOutcome({ kind: "refused", fault });
    }
    setBusy(false);
    field.current?.focus();
    // A conflict makes the row higher: its buttons could be below the window.
    requestAnimationFrame(() => row.current?.scrollIntoView({ block: "nearest" }));
  }

  const cancel = () => {
    change(stored);
    field.current?.focus();
  };

  return (
    <tr ref={row} class={isChanged ? "changed" : ""}>
      <th scope="row">
        {description} <small class="code">{typeObjet}</small>
      </th>
      <td class="file">
        <Template of={stored} />
      </td>
      <td class="usable">
        <label>
          <input
            type="checkbox"
            role="switch"
            aria-label={usableOf(description)}
            checked={choice.utilisablePourLiasse}
            onChange={({ currentTarget }) => change({ utilisablePourLiasse: currentTarget.checked })}
          />
          <span class="on-phone">{usable}</span>
        </label>
      </td>
      <td class="assignment">
        <label>
          <span class="on-phone">{assignment}</span>
          <select
            ref={field}
            aria-label={assignmentOf(description)}
            value={choice.typeAffectation}
            onChange={({ currentTarget }) => change({ typeAffectation: currentTarget.value as Assignment })}
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
        <span role="status" class="saved">
          {outcome?.kind === "saved" && `✓ ${words.value.saved}`}
        </span>
        {isConflict && <Conflict stored={stored} choice={choice} />}
        {outcome?.kind === "refused" && <Fault fault={outcome.fault} />}
        {isChanged && <SaveButtons stored={stored} choice={choice} busy={busy} isConflict={isConflict} save={() => void save()} cancel={cancel} />}
      </td>
    </tr>
  );
}

interface SaveButtonsProperties {
  stored: MailObject;
  choice: Choice;
  busy: boolean;
  isConflict: boolean;
  save: () => void;
  cancel: () => void;
}

function SaveButtons({ stored, choice, busy, isConflict, save, cancel }: SaveButtonsProperties) {
  const { save: saveWord, cancel: cancelWord, useSaved, useYours, labelled } = words.value;
  const saveText = isConflict ? useYours(differenceOf(choice, stored)) : saveWord;
  const cancelText = isConflict ? useSaved(differenceOf(stored, choice)) : cancelWord;
  return (
    <span class="decision">
      <button type="button" class="small" aria-label={labelled(saveText, stored.description)} aria-busy={busy} onClick={save}>
        {saveText}
      </button>
      <button type="button" class="outline secondary small" aria-label={labelled(cancelText, stored.description)} onClick={cancel}>
        {cancelText}
      </button>
    </span>
  );
}

// Both values: the one that another user has saved, and the user's own.
function Conflict({ stored, choice }: { stored: Choice; choice: Choice }) {
  const { changedMeanwhile, savedValue, yourValue } = words.value;
  return (
    <div class="notice fault">
      <div role="alert">
        <strong>{changedMeanwhile}</strong>
        <dl class="values">
          <dt>{savedValue}</dt>
          <dd>{settingsOf(stored)}</dd>
          <dt>{yourValue}</dt>
          <dd>{settingsOf(choice)}</dd>
        </dl>
      </div>
    </div>
  );
}

// Both settings, one a line.
function settingsOf({ utilisablePourLiasse, typeAffectation }: Choice): string {
  const { usable, yes, no, assignment, assignments: names, labelled } = words.value;
  return `${labelled(usable, utilisablePourLiasse ? yes : no)}\n${labelled(assignment, names[typeAffectation])}`;
}

// The values of `choice` that differ from those of `other`.
function differenceOf(choice: Choice, other: Choice): string {
  const { isUsable, isNotUsable, assignments: names } = words.value;
  const values = [
    choice.utilisablePourLiasse !== other.utilisablePourLiasse && (choice.utilisablePourLiasse ? isUsable : isNotUsable),
    choice.typeAffectation !== other.typeAffectation && names[choice.typeAffectation],
  ];
  return values.filter(Boolean).join(", ");
}
