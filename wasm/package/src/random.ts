// Unpredictable bytes for the module, which asks for a few at a time: a call of the platform for each costs more than they do.
const pool = new Uint8Array(4096);
let left = 0; // those before `left` were not given yet; those behind it are zero

/** Fills `bytes`. What was given is not kept. */
export function fillRandom(bytes: Uint8Array): void {
  if (bytes.length > pool.length) return void crypto.getRandomValues(bytes);
  if (bytes.length > left) {
    crypto.getRandomValues(pool);
    left = pool.length;
  }
  for (let i = 0; i < bytes.length; ++i) {
    bytes[i] = pool[--left]!;
    pool[left] = 0;
  }
}
