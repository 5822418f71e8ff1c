// Texts are compared without case and accents; searches ignore the order of words too.

/** Removes accents and converts to lower case. */
export function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Returns the words that a found text, folded, contains. */
export function wordsOf(search: string): string[] {
  return folded(search).split(/\s+/).filter(Boolean);
}
