// Browser storage. If the browser blocks site data, values last until the page is closed.

class MemoryStorage implements Storage {
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

export const browserStorage = storageOrFallback(() => localStorage);
export const tabStorage = storageOrFallback(() => sessionStorage);

function storageOrFallback(storage: () => Storage): Storage {
  try {
    return storage(); // or a SecurityError
  } catch {
    return new MemoryStorage();
  }
}
