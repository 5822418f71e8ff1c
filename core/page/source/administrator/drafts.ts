// Edits of mail objects that are not saved: kept while another section is shown, at most until the session ends.
import type { MailObject } from "../service/types";
import { session } from "../session";

export type Choice = Pick<MailObject, "utilisablePourLiasse" | "typeAffectation">;

export interface Draft {
  choice: Choice;
  /** What was stored when the user made the choice. */
  base: Choice;
}

/** By the mail object's id. */
export const drafts = new Map<number, Draft>();

session.subscribe((current) => {
  if (!current) drafts.clear();
});
// The browser asks before it leaves or reloads the page.
addEventListener("beforeunload", (event) => {
  if (drafts.size > 0) event.preventDefault();
});

export function isSame(a: Choice, b: Choice): boolean {
  return a.utilisablePourLiasse === b.utilisablePourLiasse && a.typeAffectation === b.typeAffectation;
}
