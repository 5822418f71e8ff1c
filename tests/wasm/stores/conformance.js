// The conformance suite of stores in JavaScript: what core/storage/key_value_store.hpp asks of every store and
// tests/stores/conformance_*.cpp check of those in C++, sentence by sentence, seen as the module sees a store: through the
// package's own four operations. It runs wherever the store's platform is, and needs nothing of a test framework.

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789_=ABCDEF.-";
const largest = 262_144;
const utf8 = new TextEncoder();
const text = (bytes) => bytes && new TextDecoder().decode(bytes);
const filled = (size, byte = 118) => new Uint8Array(size).fill(byte);

// A store through the package's operations, which are given: it is the package in this host that is tried.
class Client {
  constructor(store, Operations) {
    this.operations = new Operations(store);
  }
  async bytes(...keys) {
    return decoded(await this.operations.getMany(keys));
  }
  async get(key) {
    return text((await this.bytes(key))[0]);
  }
  async put(key, value) {
    await this.operations.put(key, typeof value === "string" ? utf8.encode(value) : value);
  }
  async remove(key) {
    await this.operations.remove(key);
  }
  async swap(key, expected, desired) {
    const bytes = (value) => (typeof value === "string" ? utf8.encode(value) : value);
    return this.operations.compareAndSwap(key, bytes(expected), bytes(desired));
  }
}

// The values of get_many, in the encoding of wasm/abi/portail.h.
function decoded(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = [];
  for (let at = 4; values.length < view.getUint32(0, true); ) {
    const size = view.getUint32(at, true);
    const absent = size === 0xffffffff;
    values.push(absent ? undefined : bytes.slice(at + 4, at + 4 + size));
    at += 4 + (absent ? 0 : size);
  }
  return values;
}

function same(found, expected, what = "") {
  const show = (value) => JSON.stringify(value, (_, part) => (part === undefined ? "(none)" : part))?.slice(0, 200);
  if (show(found) !== show(expected)) throw new Error(`${what} is ${show(found)}, not ${show(expected)}`);
}

function sameBytes(found, expected, what) {
  same(found?.length, expected.length, `the size of ${what}`);
  const at = expected.findIndex((byte, i) => found[i] !== byte);
  if (at >= 0) throw new Error(`byte ${at} of ${what} is ${found[at]}, not ${expected[at]}`);
}

const cases = {
  async "is empty at first"(client) {
    same(await client.get("format"), undefined);
  },
  async "gets many in the order of the keys, absences included"(client) {
    await client.put("a", "1");
    await client.put("b", "2");
    await client.put("c", "");
    same((await client.bytes("c", "x", "b", "a", "b", "aa")).map(text), ["", undefined, "2", "1", "2", undefined]);
    same(await client.bytes(), []);
  },
  async "takes keys of every size and of the whole alphabet"(client) {
    const keys = ["k", "k".repeat(199), "k".repeat(200), alphabet, "=2E", "a.b-c_d"];
    for (const [i, key] of keys.entries()) await client.put(key, String(i));
    same((await client.bytes(...keys)).map(text), keys.map((_, i) => String(i)));
  },
  async "gives back values of every size"(client) {
    const sizes = [0, 1, 63, 64, 65, 1000, 4095, 4096, 65_535, 65_536, 65_537, largest - 1, largest];
    for (const size of sizes) await client.put(`size.${size}`, filled(size));
    for (const size of sizes) sameBytes((await client.bytes(`size.${size}`))[0], filled(size), `a value of ${size}`);
  },
  async "keeps every byte"(client) {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    await client.put("bytes", bytes);
    sameBytes((await client.bytes("bytes"))[0], bytes, "the value");
  },
  async "sees what was written before"(client) {
    await client.put("k", "1");
    same(await client.get("k"), "1");
    await client.put("k", "2");
    same(await client.get("k"), "2");
    await client.remove("k");
    same(await client.get("k"), undefined);
  },
  async "overwrites a larger value, and one in several parts"(client) {
    await client.put("k", filled(largest));
    await client.put("k", filled(100_000));
    sameBytes((await client.bytes("k"))[0], filled(100_000), "the value");
    await client.put("k", "short");
    same(await client.get("k"), "short");
    await client.put("k", "");
    same(await client.get("k"), "");
    await client.put("k", filled(largest));
    await client.remove("k");
    same(await client.get("k"), undefined);
  },
  async "removes, and takes an absent key for removed"(client) {
    await client.put("k", "v");
    await client.remove("k");
    await client.remove("k");
    await client.remove("never");
    await client.put("k", "again");
    same(await client.get("k"), "again");
  },
  async "takes a thousand changes at the same time"(client) {
    const keys = Array.from({ length: 1000 }, (_, i) => `k.${1000 + i}`);
    await Promise.all(keys.map((key) => client.put(key, key)));
    same((await client.bytes(...keys)).map(text), keys);
  },
  async "keeps a prefix of a key apart from the key"(client) {
    await client.put("liasse.a", "1");
    await client.put("liasse.a.0", "2");
    await client.remove("liasse.a");
    same((await client.bytes("liasse", "liasse.a", "liasse.a.0", "liasse.a.0.0")).map(text), [undefined, undefined, "2", undefined]);
  },
  async "swaps only what is exactly as expected"(client) {
    same(await client.swap("k", "1", "2"), false, "expected a value, there is none:");
    same(await client.swap("k", "", "2"), false, "an empty value for an absence:");
    same(await client.get("k"), undefined);
    same(await client.swap("k", undefined, "1"), true);
    same(await client.get("k"), "1");
    for (const wrong of [undefined, "2", "10", ""]) same(await client.swap("k", wrong, "3"), false, `expected ${wrong}:`);
    same(await client.get("k"), "1");
    same(await client.swap("k", "1", "1"), true);
    same(await client.swap("k", "1", ""), true);
    same(await client.get("k"), "");
    same(await client.swap("k", undefined, "2"), false, "an absence for an empty value:");
    same(await client.swap("k", "", "2"), true);
    same(await client.get("k"), "2");
  },
  async "compares every byte of a large value"(client) {
    const value = filled(largest);
    value[100] = 0;
    const other = value.slice();
    other[largest - 1] = 119;
    await client.put("k", value);
    same(await client.swap("k", other, "new"), false);
    same(await client.swap("k", value.slice(0, 100), "new"), false);
    same(await client.swap("k", value, other), true);
    sameBytes((await client.bytes("k"))[0], other, "the value");
  },
  async "swaps after a removal"(client) {
    await client.put("k", "1");
    await client.remove("k");
    same(await client.swap("k", "1", "2"), false);
    same(await client.swap("k", undefined, "2"), true);
    same(await client.get("k"), "2");
  },
  async "loses no racing swap"(client, another) {
    await client.put("count", "0");
    const racer = async (mine) => {
      for (let done = 0; done < 25; ) {
        const seen = await mine.get("count");
        if (await mine.swap("count", seen, String(Number(seen) + 1))) ++done;
      }
    };
    await Promise.all([client, another(), another(), another()].map(racer));
    same(await client.get("count"), "100");
  },
  async "lets one racer create a key"(client, another) {
    for (let round = 0; round < 20; ++round) {
      const racers = [client, another(), another(), another()];
      const won = await Promise.all(racers.map((mine, i) => mine.swap(`k.${round}`, undefined, String(i))));
      same(won.filter(Boolean).length, 1, "the number of winners");
      same(await client.get(`k.${round}`), String(won.indexOf(true)));
    }
  },
};

/**
 * Runs every case over a store of its own. `make()` gives a new, empty store; a function `again` of the store, if it has
 * one, gives another one over the same data, as a second process would have it. Returns a line for each fault.
 */
export async function faultsOf(make, Operations) {
  const faults = [];
  for (const [name, run] of Object.entries(cases)) {
    const { store, again = () => store } = await make();
    try {
      // Of a store without a compare-and-swap of its own, writers share the one portal that makes one of it.
      const client = new Client(store, Operations);
      await run(client, () => (store.compareAndSwap ? new Client(again(), Operations) : client));
    } catch (error) {
      faults.push(`${name}: ${error?.stack ?? error}`);
    }
  }
  return faults;
}

export const numberOfCases = Object.keys(cases).length;
