// The exports as CSV (RFC 4180): for spreadsheets in the selected language, and with the service's values for programs.
import { currency, numericDay, wholePercent } from "../format";
import { language, words } from "../preferences";
import type { Row } from "./rows";

/** With a byte order mark and the separators of the language's spreadsheets; percentages are rounded as on the page. */
export function csvOf(rows: readonly Row[]): Blob {
  const { yes, no, reference, name, created, clientNumber, lastName, firstName, loan, amount, opportunity, status, states, completion, isNew, refusals } = words.value;
  const isFrench = language.value === "fr";
  const number = (value: number | string) => (isFrench ? String(value).replace(".", ",") : String(value));
  const yesOrNo = (value: boolean) => (value ? yes : no);
  const columns: [string, (row: Row) => string][] = [
    [reference, (row) => text(row.id)],
    [name, (row) => text(row.nomDossier)],
    [created, (row) => text(numericDay(row.creationDate))],
    [clientNumber, (row) => text(row.numeroTiers)],
    [lastName, (row) => text(row.nomTiers)],
    [firstName, (row) => text(row.prenomTiers)],
    [loan, (row) => text(row.numeroPret)],
    [`${amount} (${currency()})`, (row) => number(row.montantOpportunite)],
    [opportunity, (row) => yesOrNo(row.opportuniteMiseEnPlace)],
    [status, (row) => text(row.complete ? states.complete : states.underWay)],
    [`${completion} (%)`, (row) => String(wholePercent(row.completion))],
    [isNew, (row) => yesOrNo(row.deposeeDepuisDerniereConsultation)],
    [refusals, (row) => text(row.refusals.join("; "))],
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
  const escaped = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[";,\r\n']/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}
