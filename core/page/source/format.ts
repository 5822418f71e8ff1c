// Formats numbers and days in the selected language.
import type { Decimal } from "./service/types";
import { language } from "./preferences";

/** Formats the local day of an instant with an offset: "15 janvier 2024". */
export function day(instant: string): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(`${instant.slice(0, 10)}T00:00:00Z`));
}

/** Formats a decimal with all its digits. */
export function decimal(value: Decimal): string {
  const format = new Intl.NumberFormat(language.value, { minimumFractionDigits: 2, maximumFractionDigits: 20 });
  return format.format(value as number); // a text of digits is taken exactly (ECMA-402, Intl mathematical values)
}

/** Formats a percentage, rounded down: 99.9 is not 100 %. */
export function percent(value: number): string {
  return new Intl.NumberFormat(language.value, { style: "percent" }).format(Math.floor(value) / 100);
}

export function count(value: number): string {
  return new Intl.NumberFormat(language.value).format(value);
}
