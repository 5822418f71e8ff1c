// What a browser keeps for this page. Where it keeps nothing (site data that is blocked), the page remembers until it is left.

class Memory implements Storage {
  [name: string]: unknown;
  readonly #items = new Map<string, string>();

  get length(): number {
    return this.#items.size;
  }
  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }
  getItem(name: string): string | null {
    return this.#items.get(name) ?? null;
  }
  setItem(name: string, value: string): void {
    this.#items.set(name, value);
  }
  removeItem(name: string): void {
    this.#items.delete(name);
  }
  clear(): void {
    this.#items.clear();
  }
}

export const ofBrowser = usable(() => localStorage);
export const ofTab = usable(() => sessionStorage);

function usable(storage: () => Storage): Storage {
  try {
    return storage(); // or a SecurityError
  } catch {
    return new Memory();
  }
}
