// The portal's settings for the page: the answer of page/settings.json.
import { signal } from "@preact/signals";

export interface SignIn {
  authority: string;
  client: string;
  scope: string;
  parameters: Record<string, string>;
}

export interface Persona {
  name: string;
  description: string;
  token: string;
  /** The name and the description by language. */
  translations?: Record<string, { name: string; description: string }>;
}

export interface PortalSettings {
  signIn: SignIn | null;
  personas: Persona[];
  /** The lender's form for a document: a URL with the placeholders {bundle} and {piece}. */
  depositUrl?: string;
  /** The lender's contact by language: a text; https URLs, e-mail addresses and telephone numbers become links. */
  contacts?: Record<string, string>;
  /** The currency of amounts (ISO 4217). Default is EUR. */
  currency?: string;
}

export const portalSettings = signal<PortalSettings>({ signIn: null, personas: [] });

/** Returns the address of the lender's form for a piece; null: there is none. */
export function depositUrlOf(bundle: string, piece: string): string | null {
  const { depositUrl } = portalSettings.value;
  if (!depositUrl || !/^https?:\/\//i.test(depositUrl)) return null; // a link must not be a script
  const values: Record<string, string> = { "{bundle}": bundle, "{piece}": piece };
  return depositUrl.replace(/\{bundle\}|\{piece\}/g, (name) => encodeURIComponent(values[name]!));
}

export interface ContactPart {
  text: string;
  /** null: it is a text. */
  link: string | null;
}

// An https URL, an e-mail address, or a telephone number: from + or 0, with at most one separator between two digits.
const linked = /(\bhttps:\/\/\S*[^\s.,;:!?()«»"']|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w+])(?:\+\d|0)(?:(?: ?\(0\))?[\s./-]?\d){8,13}(?!\d))/i;

/** Splits a contact into texts and links. */
export function partsOfContact(contact: string): ContactPart[] {
  return contact
    .split(linked)
    .map((text, index) => ({ text, link: index % 2 === 1 ? linkTo(text) : null }))
    .filter(({ text }) => text);
}

function linkTo(address: string): string {
  if (/^https:/i.test(address)) return address;
  return address.includes("@") ? `mailto:${address}` : `tel:${address.replace("(0)", "").replace(/[^+\d]/g, "")}`;
}
