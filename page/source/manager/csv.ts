// The exports as CSV (RFC 4180): for spreadsheets in the selected language, and with the service's values for programs.
import { computed } from "@preact/signals";
import { currency, numericDay, wholePercent } from "../format";
import { language, words } from "../preferences";
import { folded } from "../search";
import type { Row } from "./rows";

/** With a byte order mark and the separators of the language's spreadsheets; percentages are rounded as on the page. */
export function csvOf(rows: readonly Row[]): Blob {
  const { yes, no, reference, name, created, clientNumber, lastName, firstName, loan, amount, opportunity, status, states, completion, isNew, refusals } = words.value;
  const isFrench = language.value === "fr";
  const number = (value: number | string) => numberCell(isFrench ? String(value).replace(".", ",") : String(value));
  const yesOrNo = (value: boolean) => (value ? yes : no);
  const columns: [string, (row: Row) => string][] = [
    [reference, (row) => spreadsheetText(row.id)],
    [name, (row) => spreadsheetText(row.nomDossier)],
    [created, (row) => quoted(numericDay(row.creationDate))],
    [clientNumber, (row) => spreadsheetText(row.numeroTiers)],
    [lastName, (row) => spreadsheetText(row.nomTiers)],
    [firstName, (row) => spreadsheetText(row.prenomTiers)],
    [loan, (row) => spreadsheetText(row.numeroPret)],
    [`${amount} (${currency()})`, (row) => number(row.montantOpportunite)],
    [opportunity, (row) => yesOrNo(row.opportuniteMiseEnPlace)],
    [status, (row) => quoted(row.complete ? states.complete : states.underWay)],
    [`${completion} (%)`, (row) => String(wholePercent(row.completion))],
    [isNew, (row) => yesOrNo(row.deposeeDepuisDerniereConsultation)],
    [refusals, (row) => spreadsheetText(row.refusals.join("; "))],
  ];
  return fileOf(["\ufeff", lines(rows, columns, isFrench ? ";" : ",")]);
}

/** With the names and values of the service's answers. */
export function rawCsvOf(rows: readonly Row[]): Blob {
  const names = ["id", "nomDossier", "creationDate", "numeroTiers", "nomTiers", "prenomTiers", "numeroPret", "montantOpportunite", "opportuniteMiseEnPlace",
    "statut", "completion", "deposeeDepuisDerniereConsultation", "erreur"] as const;
  return fileOf([lines(rows, names.map((name) => [name, (row) => valueOf(row[name])]), ",")]);
}

function valueOf(value: string | number | boolean | null): string {
  return typeof value === "string" && !/^-?\d+(\.\d+)?$/.test(value) ? text(value) : String(value ?? "");
}

function lines(rows: readonly Row[], columns: [string, (row: Row) => string][], separator: string): string {
  const head = columns.map(([name]) => name).join(separator);
  return [head, ...rows.map((row) => columns.map(([, cell]) => cell(row)).join(separator)), ""].join("\r\n");
}

function fileOf(parts: string[]): Blob {
  return new Blob(parts, { type: "text/csv;charset=utf-8" });
}

// Spreadsheets evaluate a cell that begins with these characters as a formula, quoted or not. An apostrophe makes it text.
function text(value: string): string {
  return /^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n]/.test(value) ? marked(value) : quoted(value);
}

// Spreadsheets also convert what they take for a number, a date, a time or an error: 00123 loses its zeros, 1-2 is a day.
function spreadsheetText(value: string): string {
  return isTakenForValue(value) ? marked(value) : text(value);
}

// Spreadsheets round to 15 significant digits.
function numberCell(value: string): string {
  return value.replace(/\D/g, "").replace(/^0+|0+$/g, "").length > 15 ? marked(value) : value;
}

function marked(value: string): string {
  return quoted(`'${value}`);
}

function isTakenForValue(value: string): boolean {
  if (/^(0|[1-9]\d{0,10})$/.test(value)) return false; // shown unchanged; Excel shows 12 digits as 1.23457E+11
  const plain = folded(value.normalize("NFKC"));
  if (/^\s*(#|(true|false|vrai|faux)\s*$)/.test(plain)) return true;
  const names = plain.replace(partsOfValues, "$1$2").match(/\p{L}+/gu) ?? [];
  return /\p{N}/u.test(plain) && names.every((name) => name === folded(currency()) || (name.length >= 3 && dateNames.value.some((date) => date.startsWith(name))));
}

// The letters of 1.E5, 5 pm and 2024-01-15T10:30Z.
const partsOfValues = /(\p{N}[.,]?\s*)(?:e(?=\s*[+-]?\s*\p{N})|t(?=\p{N})|[ap]m?(?!\p{L}))|(:[\p{N}.,]+)z(?!\p{L})/gu;

// The names of months and weekdays in the languages of the page and the browser, folded.
const dateNames = computed(() => ["fr", "en", ...navigator.languages.filter(isLanguageTag)].flatMap((tag) => [...namesOf(tag, { month: "long" }), ...namesOf(tag, { weekday: "long" })]));

// The first days of the months of 2024 are all weekdays.
function namesOf(tag: string, part: Intl.DateTimeFormatOptions): string[] {
  const { format } = new Intl.DateTimeFormat(tag, { ...part, timeZone: "UTC" });
  return [...Array(12).keys()].map((month) => folded(format(Date.UTC(2024, month))));
}

// Browsers may report the locale of the system: en-US@posix.
function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function quoted(value: string): string {
  return /[";,\t\r\n']/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
