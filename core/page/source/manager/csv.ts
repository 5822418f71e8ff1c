// The CSV export (RFC 4180), with a byte order mark and the separators of the selected language's spreadsheets.
import type { Language } from "../preferences";
import type { Row } from "./rows";

const columns: [string, (row: Row, number: (value: number | string) => string) => string][] = [
  ["id", (row) => text(row.id)],
  ["nomDossier", (row) => text(row.nomDossier)],
  ["creationDate", (row) => text(row.creationDate)],
  ["numeroTiers", (row) => text(row.numeroTiers)],
  ["nomTiers", (row) => text(row.nomTiers)],
  ["prenomTiers", (row) => text(row.prenomTiers)],
  ["numeroPret", (row) => text(row.numeroPret)],
  ["montantOpportunite", (row, number) => number(row.montantOpportunite)],
  ["opportuniteMiseEnPlace", (row) => String(row.opportuniteMiseEnPlace)],
  ["statut", (row) => text(row.statut)],
  ["completion", (row, number) => number(row.completion)],
  ["deposeeDepuisDerniereConsultation", (row) => String(row.deposeeDepuisDerniereConsultation)],
  ["erreur", (row) => text(row.erreur ?? "")],
];

export function csvOf(rows: readonly Row[], language: Language): Blob {
  const french = language === "fr";
  const separator = french ? ";" : ",";
  const number = (value: number | string) => (french ? String(value).replace(".", ",") : String(value));
  const lines = rows.map((row) => columns.map(([, cell]) => cell(row, number)).join(separator));
  const head = columns.map(([name]) => name).join(separator);
  return new Blob(["\ufeff", [head, ...lines, ""].join("\r\n")], { type: "text/csv;charset=utf-8" });
}

// Spreadsheets evaluate a cell that begins with these characters as a formula, quoted or not. An apostrophe makes it text.
function text(value: string): string {
  const escaped = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[";,\r\n']/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}
