// What the user chose for this browser: the language, and light or dark. Without a choice, the browser's own.
import { computed, effect, signal, type Signal } from "@preact/signals";
import { ofBrowser } from "./storage";
import { en, type Words } from "./words/en";
import { fr } from "./words/fr";

const languages = { fr, en };
export type Language = keyof typeof languages;
export const languageNames: Record<Language, string> = { fr: "Français", en: "English" };
export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const isLanguage = (text: string): text is Language => text in languages;
const isTheme = (text: string): text is Theme => (themes as readonly string[]).includes(text);

export const language = kept<Language>("portail.language", isLanguage, browserLanguage());
export const theme = kept<Theme>("portail.theme", isTheme, "auto");
export const words = computed<Words>(() => languages[language.value]);

effect(() => {
  document.documentElement.lang = language.value;
});
effect(() => {
  if (theme.value === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme.value;
});

function browserLanguage(): Language {
  const known = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage);
  return known ?? "en";
}

// A signal whose value outlives the page.
function kept<T extends string>(name: string, fits: (text: string) => text is T, preset: T): Signal<T> {
  const found = ofBrowser.getItem(name);
  const value = signal<T>(found !== null && fits(found) ? found : preset);
  value.subscribe((chosen) => {
    if (chosen === preset) ofBrowser.removeItem(name);
    else ofBrowser.setItem(name, chosen);
  });
  return value;
}
