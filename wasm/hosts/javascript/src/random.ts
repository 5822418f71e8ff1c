// Random bytes for the module, from a pool: the module needs a few at a time, and each call of the platform is costly.
const pool = new Uint8Array(4096);
let available = 0; // unused bytes, at the beginning of the pool; the others are zero

/** Fills `bytes` with random bytes, and erases them from the pool. */
export function fillRandom(bytes: Uint8Array): void {
  if (bytes.length > pool.length) return void crypto.getRandomValues(bytes);
  if (bytes.length > available) {
    crypto.getRandomValues(pool);
    available = pool.length;
  }
  for (let i = 0; i < bytes.length; ++i) {
    bytes[i] = pool[--available]!;
    pool[available] = 0;
  }
}
