// Edits of mail objects that are not saved: kept while another section is shown. If the session ends without a sign-out, this tab's storage has
// them until a user signs in.
import type { MailObject } from "../service/types";
import { session } from "../session";
import { tabStorage } from "../storage";

export type Choice = Pick<MailObject, "utilisablePourLiasse" | "typeAffectation">;

export interface Draft {
  choice: Choice;
  /** What was stored at the user's first change. */
  base: Choice;
}

/** By the mail object's id. */
export const drafts = new Map<number, Draft>();

const name = "portail.drafts"; // of this tab
let owner: string | null = null;

session.subscribe((current) => {
  if (current) return;
  if (drafts.size > 0 && owner !== null) tabStorage.setItem(name, JSON.stringify({ owner, kept: [...drafts] }));
  drafts.clear();
});

/** Restores the edits of `subject`, who has signed in. Those of another subject are deleted. */
export function restoreDrafts(subject: string | null): void {
  const saved = tabStorage.getItem(name);
  tabStorage.removeItem(name);
  const found = saved === null ? null : (JSON.parse(saved) as { owner: string; kept: [number, Draft][] });
  if (found && found.owner === subject) for (const [id, draft] of found.kept) drafts.set(id, draft);
  owner = subject;
}

/** Returns the draft of an object, or undefined. Deletes one that is stored by now, as another user's change. */
export function draftOf(object: MailObject): Draft | undefined {
  const draft = drafts.get(object.id);
  if (!draft || !isSame(draft.choice, object)) return draft;
  drafts.delete(object.id);
  return undefined;
}

export function discardDrafts(): void {
  tabStorage.removeItem(name);
  drafts.clear();
}

// The browser asks before it leaves or reloads the page.
addEventListener("beforeunload", (event) => {
  if (drafts.size > 0) event.preventDefault();
});

export function isSame(a: Choice, b: Choice): boolean {
  return a.utilisablePourLiasse === b.utilisablePourLiasse && a.typeAffectation === b.typeAffectation;
}
