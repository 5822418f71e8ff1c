// The settings, by the names that every host of the portal knows (docs/tutorials/embedding.md).
import { Encoder } from "./abi.js";

/** A list stands for its items with commas between them. A key set may be its text, or what JSON.parse makes of it. */
export interface Settings {
  PORTAIL_ISSUER?: string | undefined;
  PORTAIL_AUDIENCE?: string | readonly string[] | undefined;
  PORTAIL_JWKS?: string | { keys: readonly object[] } | undefined;
  PORTAIL_TENANT?: string | undefined;
  PORTAIL_SUBJECT_CLAIM?: string | undefined;
  PORTAIL_LEEWAY?: string | number | undefined;
  PORTAIL_FILTER_LISTS?: string | boolean | undefined;
  PORTAIL_ALLOW_ORIGINS?: string | readonly string[] | undefined;
  PORTAIL_TRANSPORT?: "direct" | "forwarded" | "loopback" | undefined;
}

/** A platform's environment, as process.env: names that do not begin with PORTAIL_ are passed over. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/** The settings among what a platform declares: any of them may be a text that is known only when it runs. */
export type Declared = { readonly [Name in keyof Settings]: Settings[Name] | string };

/** No name and no value that is nearly a setting's, as far as the compiler sees them: it would be passed over in silence. */
export type Known<S> = {
  readonly [Name in keyof S]: Name extends keyof Settings
    ? string extends S[Name]
      ? unknown
      : Settings[Name]
    : Name extends Misspelt<Name>
      ? never
      : unknown;
};

// The name, where it is nearly a setting's: in another case, cut short, or with its letters mixed up at the beginning.
type Misspelt<Name> = Name extends string
  ? Uppercase<Name> extends `PORTAIL_${string}`
    ? Name
    : Letters<Name> extends Short | `${"PO" | "PROT"}${string}${Short}`
      ? Name
      : never
  : never;
type Letters<Name extends string> = Name extends `${infer Before}_${infer After}` ? Letters<`${Before}${After}`> : Uppercase<Name>;
type ShortOf<Name> = Name extends `PORTAIL_${infer Rest}` ? Letters<Rest> : never;
type Short = ShortOf<keyof Settings>;

const lists = ["PORTAIL_AUDIENCE", "PORTAIL_ALLOW_ORIGINS"];

/** In the encoding of the ABI. Throws a TypeError for a value that cannot be a setting. */
export function encodeSettings(settings: Declared | Environment): Uint8Array {
  const pairs = Object.entries(settings ?? {})
    .filter(([name, value]) => /^PORTAIL_/i.test(name) && value !== undefined && value !== null)
    .map(([name, value]) => [name, textOf(name, value)] as const);
  const encoder = new Encoder();
  const utf8 = new TextEncoder();
  encoder.number(pairs.length);
  for (const [name, value] of pairs) {
    encoder.text(utf8.encode(name));
    encoder.text(utf8.encode(value));
  }
  return encoder.bytes();
}

function textOf(name: string, value: unknown): string {
  if (["string", "number", "boolean"].includes(typeof value)) return String(value);
  const isList = Array.isArray(value);
  if (isList && lists.includes(name) && value.every((item) => typeof item === "string")) return value.join(",");
  // What JSON leaves out would be no key set at all, and the stored one would be taken.
  const text = name === "PORTAIL_JWKS" && !isList ? JSON.stringify(value) : undefined;
  if (text) return text;
  throw new TypeError(`portail: ${name} cannot be ${isList ? "this list" : `of type ${typeof value}`}`);
}
