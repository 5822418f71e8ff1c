// The settings. Their names are the same for all hosts of the portal (docs/reference/module-abi.md).
import { Encoder } from "./abi.js";

/** A list is joined with commas. A key set is its JSON text, or the result of JSON.parse. */
export interface Settings {
  PORTAIL_ISSUER?: string | undefined;
  PORTAIL_AUDIENCE?: string | readonly string[] | undefined;
  PORTAIL_JWKS?: string | { keys: readonly object[] } | undefined;
  PORTAIL_JWKS_REFRESH?: string | number | undefined;
  PORTAIL_JWKS_TIMEOUT?: string | number | undefined;
  PORTAIL_JWKS_MAX_AGE?: string | number | undefined;
  PORTAIL_TENANT?: string | undefined;
  PORTAIL_SUBJECT_CLAIM?: string | undefined;
  PORTAIL_LEEWAY?: string | number | undefined;
  PORTAIL_FILTER_LISTS?: string | boolean | undefined;
  PORTAIL_ALLOW_ORIGINS?: string | readonly string[] | undefined;
  PORTAIL_LOG_KEY?: string | undefined;
  PORTAIL_AUDIT_RETENTION?: string | number | undefined;
  PORTAIL_MANAGE_SUBJECTS?: string | readonly string[] | undefined;
  PORTAIL_MANAGE_MAX_DOCUMENT?: string | number | undefined;
  PORTAIL_TRANSPORT?: "direct" | "forwarded" | "loopback" | "forwarded-or-loopback" | undefined;
}

/** A platform's environment, such as process.env. Names that do not begin with PORTAIL_ are ignored. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/** Checks the names and the values that the compiler sees. The type of a wrong one is its message, or the type of the setting. */
export type CheckedSettings<S> = [Faults<S>] extends [never] ? S : Expected<S>;
type Faults<S> = { [Name in keyof S]-?: S[Name] extends Expected<S>[Name] ? never : Name }[keyof S];
type Expected<S> = {
  readonly [Name in keyof S]: Name extends keyof Settings
    ? string extends S[Name] // known only at run time
      ? unknown
      : Settings[Name]
    : Name extends Misspelled<Name>
      ? `unknown setting ${Name & string}${Suggestion<Nearest<Name & string>>}`
      : unknown;
};

// The name if it is nearly that of a setting: in another case, abbreviated, or with a misspelled prefix.
type Misspelled<Name> = Name extends string
  ? Uppercase<Name> extends `PORTAIL_${string}`
    ? Name
    : Letters<Name> extends Short | `${"PO" | "PROT"}${string}${Short}`
      ? Name
      : never
  : never;
type Letters<Name extends string> = Name extends `${infer Before}_${infer After}` ? Letters<`${Before}${After}`> : Uppercase<Name>;
type ShortOf<Name> = Name extends `PORTAIL_${infer Rest}` ? Letters<Rest> : never;
type Short = ShortOf<keyof Settings>;

type Suggestion<Name extends string> = [Name] extends [never] ? "" : `; did you mean ${Name}?`;
// The settings with the same letters after the prefix, or with one typo.
type Nearest<Name extends string> = {
  [Known in keyof Settings]-?: Letters<Name> extends ShortOf<Known> | `${string}${ShortOf<Known>}`
    ? Known
    : HasOneTypo<Uppercase<Name>, Known> extends true
      ? Known
      : never;
}[keyof Settings];
// Whether one letter is wrong, missing or added, or two letters changed places.
type HasOneTypo<A extends string, B extends string> = A extends `${infer Letter}${infer RestA}`
  ? B extends `${Letter}${infer RestB}`
    ? HasOneTypo<RestA, RestB>
    : IsTypo<A, B>
  : IsTypo<A, B>;
type IsTypo<A extends string, B extends string> = Tail<A> extends Tail<B> | B
  ? true
  : A extends Tail<B>
    ? true
    : A extends `${infer First}${infer Second}${infer Rest}`
      ? B extends `${Second}${First}${Rest}`
        ? true
        : false
      : false;
type Tail<Text extends string> = Text extends `${string}${infer Rest}` ? Rest : "";

const lists = ["PORTAIL_AUDIENCE", "PORTAIL_ALLOW_ORIGINS", "PORTAIL_MANAGE_SUBJECTS"];

/** Encodes the settings for the ABI. Throws a TypeError for a value that cannot be a setting. */
export function encodeSettings(settings: unknown): Uint8Array {
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
  // A value that JSON omits must fail: without a key set, the stored one would be used.
  const text = name === "PORTAIL_JWKS" && !isList ? JSON.stringify(value) : undefined;
  if (text) return text;
  throw new TypeError(`portail: ${name} cannot be ${isList ? "this list" : `of type ${typeof value}`}`);
}
