// Numbers and days as readers of the chosen language write them.
import type { Decimal } from "./service/types";
import { language } from "./preferences";

/** A day of an instant with its offset, as the clock there showed it: "15 janvier 2024". */
export function day(instant: string): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(`${instant.slice(0, 10)}T00:00:00Z`));
}

/** An exact decimal, all of its digits. */
export function decimal(value: Decimal): string {
  const format = new Intl.NumberFormat(language.value, { minimumFractionDigits: 2, maximumFractionDigits: 20 });
  return format.format(value as number); // a text of digits is taken exactly (ECMA-402, Intl mathematical values)
}

/** Of a percentage, rounded down: 99.9 is not everything. */
export function percent(value: number): string {
  return new Intl.NumberFormat(language.value, { style: "percent" }).format(Math.floor(value) / 100);
}

export function count(value: number): string {
  return new Intl.NumberFormat(language.value).format(value);
}
