// Formats numbers and amounts in the selected language, and days as in the reader's region.
import { computed } from "@preact/signals";
import type { Decimal } from "./service/types";
import { language } from "./preferences";
import { portalSettings } from "./settings";

// The selected language, in the region of the browser's first language that names one.
const region = /-([A-Z]{2})\b/.exec(navigator.languages.join())?.[1];
const locale = computed(() => {
  const tag = region ? `${language.value}-${region}` : language.value;
  const isKnown = new Intl.DateTimeFormat(tag).resolvedOptions().locale === tag;
  return !isKnown && language.value === "en" ? "en-001" : tag; // English of no region means the United States
});

function formatDay(instant: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale.value, { ...options, timeZone: "UTC" }).format(new Date(`${instant.slice(0, 10)}T00:00:00Z`));
}

/** Formats the local day of an instant with an offset: "15 janv. 2024". */
export function day(instant: string): string {
  return formatDay(instant, { dateStyle: "medium" });
}

/** Formats the same day for spreadsheets: "15/01/2024". */
export function numericDay(instant: string): string {
  return formatDay(instant, { year: "numeric", month: "2-digit", day: "2-digit" });
}

/** Returns the currency of amounts. */
export function currency(): string {
  return portalSettings.value.currency ?? "EUR";
}

/** Formats an amount with all its digits and its currency. */
export function amount(value: Decimal): string {
  const format = new Intl.NumberFormat(language.value, { style: "currency", currency: currency(), maximumFractionDigits: 20 });
  return format.format(value as number); // a text of digits is taken exactly (ECMA-402, Intl mathematical values)
}

/** Rounds a percentage to the nearest integer; only 0 is 0 and only 100 is 100. */
export function wholePercent(value: number): number {
  return value > 0 && value < 100 ? Math.min(99, Math.max(1, Math.round(value))) : value;
}

export function percent(value: number): string {
  return new Intl.NumberFormat(language.value, { style: "percent" }).format(wholePercent(value) / 100);
}

export function count(value: number): string {
  return new Intl.NumberFormat(language.value).format(value);
}
