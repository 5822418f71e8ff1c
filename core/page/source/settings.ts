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
  /** The lender's contact by language: a text, an https URL or an e-mail address. */
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

/** Returns the address that a contact links to; null: it is a text. */
export function linkOfContact(contact: string): string | null {
  if (/^https:\/\/\S+$/i.test(contact)) return contact;
  return /^[^\s@:/]+@[^\s@:/]+$/.test(contact) ? `mailto:${contact}` : null;
}
