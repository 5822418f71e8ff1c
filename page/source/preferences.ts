// The user's preferences in this browser: language and colour theme. Default: the browser's.
import { computed, effect, signal, type Signal } from "@preact/signals";
import { browserStorage } from "./storage";
import { en, type Words } from "./words/en";
import { fr } from "./words/fr";

const languages = { fr, en };
export type Language = keyof typeof languages;
export const languageNames: Record<Language, string> = { fr: "Français", en: "English" };
export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const isLanguage = (text: string): text is Language => text in languages;
const isTheme = (text: string): text is Theme => (themes as readonly string[]).includes(text);

export const language = persistedSignal<Language>("portail.language", isLanguage, browserLanguage());
export const theme = persistedSignal<Theme>("portail.theme", isTheme, "auto");
export const words = computed<Words>(() => languages[language.value]);

effect(() => {
  document.documentElement.lang = language.value;
});
effect(() => {
  if (theme.value === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme.value;
});

function browserLanguage(): Language {
  const supported = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage);
  return supported ?? "en";
}

// Returns a signal whose value is kept in the browser's storage.
function persistedSignal<T extends string>(name: string, isValid: (text: string) => text is T, defaultValue: T): Signal<T> {
  const found = browserStorage.getItem(name);
  const value = signal<T>(found !== null && isValid(found) ? found : defaultValue);
  value.subscribe((newValue) => {
    if (newValue === defaultValue) browserStorage.removeItem(name);
    else browserStorage.setItem(name, newValue);
  });
  return value;
}
