/* The ABI of portail.wasm: what the module asks of its host, and what it offers. This header is its specification; the
 * module is compiled with it, and hosts in C may include it for its constants.
 *
 * THE WHOLE OF IT. The host makes an instance, calls _initialize once, and compares abi_version with PORTAIL_ABI_VERSION.
 * It makes a portal (create), and for each HTTP request: begin, then whatever state says, until the answer is sent; end.
 * While a request runs, the module calls the store's imports. A host that has the answer completes the operation before
 * it returns from the import; a host that has not returns, and completes it whenever it likes. Nothing ever blocks.
 *
 * Numbers     All are little-endian. Handles of portals, requests and operations are never 0, and an old one is not
 *             mistaken for a newer one; calls with a handle that is no longer known do nothing and return 0.
 * Encoding    A "text" is a u32 count of bytes, and the bytes. Nothing is aligned, nothing ends with a zero.
 * Buffers     What goes in was written into a buffer from allocate, and belongs to the module from the call that takes
 *             it. A size of 0 needs no buffer: the pointer is 0. What the module shows (the arguments of imports, data,
 *             fault) is its own: an import's arguments until the import returns, the rest until the next call into the
 *             module. The memory may grow in any call: look the memory up again, and copy what is kept.
 * Threads     One at a time may be inside an instance. An import may call allocate and complete, the latter for the
 *             operation that it was called with, and nothing else of the module.
 * Many        An instance holds any number of portals, and a portal any number of requests under way at once; they share
 *             the memory and nothing else. Handles run out at 65,535 at once of each kind.
 * Deadlines   The module has no timer. A host that has waited long enough calls expire, and the request answers 503. An
 *             operation that was given up may be completed later all the same: it is known no more, and nothing happens.
 * Limits      A target of at most 8 KiB and a PUT body of at most 64 KiB are answered by the module itself (400, 413);
 *             how long a head may be is the host's to say. Keys have at most 200 bytes, values at most 256 KiB.
 *             Values that come when seven eighths of the memory are in use are not taken: 503.
 * Traps       Out of memory, and a fault in the module itself, trap. The instance is then of no use any more.
 * Versions    An import or an export that is added, taken away or changed changes PORTAIL_ABI_VERSION. A module asks for
 *             every import of its version.
 */
#ifndef PORTAIL_H
#define PORTAIL_H

#include <stdint.h>

#define PORTAIL_ABI_VERSION 1

/* A length that says: there is no value. */
#define PORTAIL_ABSENT UINT32_C(0xFFFFFFFF)

/* How a store operation went. */
enum {
  PORTAIL_DONE = 0,        /* as asked; a get_many's values are in the buffer */
  PORTAIL_DIFFERENT = 1,   /* of compare_and_swap only: the value was another one, and nothing was changed */
  PORTAIL_UNAVAILABLE = 2, /* the store cannot answer now; of a write: it may have been made, or not. 503 */
  PORTAIL_CORRUPT = 3      /* the store answered with something that is no value. 500 */
};

/* What a request wants next of its host. */
enum {
  PORTAIL_UNKNOWN = 0,    /* there is no such request */
  PORTAIL_WAITING = 1,    /* for a store operation to be completed */
  PORTAIL_WANTS_BODY = 2, /* the request's body: give_body or lose_body. Where it never does, the body is of no interest */
  PORTAIL_ANSWERED = 3,   /* data is the answer's head; next goes on to its body */
  PORTAIL_PIECE = 4,      /* data is the next piece of the body, never empty; next goes on */
  PORTAIL_END = 5,        /* the body is complete */
  PORTAIL_BROKEN = 6      /* the body cannot be completed: show the client that it was cut off */
};

/* A request's head:   u32 of the flags below; text method; text target, as received: the path, still percent-encoded,
 *                     with "?" and the query; u32 count of headers; for each: text name, text value. In the order of
 *                     arrival, repeated ones repeated. */
enum {
  PORTAIL_HTTPS = 1,              /* the host ended TLS itself, or knows that the front which did is its own */
  PORTAIL_FORWARDING_TRUSTED = 2, /* X-Forwarded-Proto and Forwarded come from a peer that the operator trusts */
  PORTAIL_DRAINING = 4,           /* the host has begun to stop: /health/ready says so */
  PORTAIL_HAS_BODY = 8            /* a body may follow */
};

/* An answer's head:   u32 status; u32 of the flag below; u32 count of headers; for each: text name, text value.
 *                     Content-Length is among them where the body is whole, for HEAD too: such a body comes with the first next. */
enum { PORTAIL_CLOSE = 1 }; /* the connection must be closed after this answer */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__wasm__)
#define PORTAIL_IMPORT(name) __attribute__((import_module("portail"), import_name(#name)))
#define PORTAIL_EXPORT(name) __attribute__((export_name(#name)))
#else
#define PORTAIL_IMPORT(name)
#define PORTAIL_EXPORT(name)
#endif

/* ---- Imports, of module "portail". `store` is the number that the host gave to create. ---- */

/* The values of many keys, in one round trip where the store can. `keys`: u32 count, texts. Completed with the same
 * count, and for each key in its order its value as a text, or PORTAIL_ABSENT alone. */
PORTAIL_IMPORT(get_many)
void portail_get_many(uint32_t store, uint32_t operation, const uint8_t* keys, uint32_t keys_size);

/* Sets the key. Completed without a buffer, once it is as durable as the store makes it. */
PORTAIL_IMPORT(put)
void portail_put(uint32_t store, uint32_t operation, const uint8_t* key, uint32_t key_size, const uint8_t* value,
                 uint32_t value_size);

/* Removes the key; that there was none is success. Completed without a buffer. */
PORTAIL_IMPORT(remove)
void portail_remove(uint32_t store, uint32_t operation, const uint8_t* key, uint32_t key_size);

/* Sets the key if its value is exactly `expected`; expected_size PORTAIL_ABSENT: if it has none. Completed without a
 * buffer. Atomic between all writers where the store can; else a read and a write, so that of two changes at the same
 * time one may be lost. */
PORTAIL_IMPORT(compare_and_swap)
void portail_compare_and_swap(uint32_t store, uint32_t operation, const uint8_t* key, uint32_t key_size,
                              const uint8_t* expected, uint32_t expected_size, const uint8_t* desired,
                              uint32_t desired_size);

/* Microseconds since 1970-01-01T00:00:00Z, leap seconds not counted. */
PORTAIL_IMPORT(now) int64_t portail_now(void);

/* Fills with unpredictable bytes, as keys are made of. */
PORTAIL_IMPORT(random) void portail_random(uint8_t* bytes, uint32_t size);

/* What an operator should know: `event` is a constant phrase, `detail` a line of UTF-8 without tokens or personal data.
 * `store` is 0 where it concerns the instance as a whole. */
PORTAIL_IMPORT(log)
void portail_log(uint32_t store, const uint8_t* event, uint32_t event_size, const uint8_t* detail, uint32_t detail_size);

/* ---- Exports, beside "memory" and "_initialize". ---- */

/* PORTAIL_ABI_VERSION of the module. A host built for another version must stop. */
PORTAIL_EXPORT(abi_version) uint32_t portail_abi_version(void);

/* A buffer to be filled and given to one of the calls below; never 0. */
PORTAIL_EXPORT(allocate) uint8_t* portail_allocate(uint32_t size);

/* Gives back a buffer that no call took. */
PORTAIL_EXPORT(release) void portail_release(uint8_t* buffer);

/* A portal over `store`, a number of the host's, not 0, which it finds again in the imports. `settings`: u32 count; for
 * each: text name, text value. The names are PORTAIL_ISSUER and its like (docs/tutorials/embedding.md); one that is not known is a
 * fault. 0 where there is a fault: `fault` is then its line for the operator, of fault_size bytes, until the next create. */
PORTAIL_EXPORT(create) uint32_t portail_create(uint32_t store, uint8_t* settings, uint32_t settings_size);
PORTAIL_EXPORT(fault) const uint8_t* portail_fault(void);
PORTAIL_EXPORT(fault_size) uint32_t portail_fault_size(void);

/* Ends the portal and all its requests. Operations under way may be completed afterwards, or never. */
PORTAIL_EXPORT(dispose) void portail_dispose(uint32_t portal);

/* A request, run as far as it goes at once. 0 where the portal is unknown, the head is not encoded as said above, or too
 * many requests are under way: 65,535, or as many as need half of the memory. The host answers 503 then, by itself. */
PORTAIL_EXPORT(begin) uint32_t portail_begin(uint32_t portal, uint8_t* head, uint32_t head_size);

/* What the request wants next; and what it shows, in the states that have something to show. */
PORTAIL_EXPORT(state) uint32_t portail_state(uint32_t request);
PORTAIL_EXPORT(data) const uint8_t* portail_data(uint32_t request);
PORTAIL_EXPORT(data_size) uint32_t portail_data_size(uint32_t request);

/* The calls that take a request on; each returns its new state, and does nothing in another state than it is for. */

/* WANTS_BODY: the next bytes of the body; a size of 0 is its end. */
PORTAIL_EXPORT(give_body) uint32_t portail_give_body(uint32_t request, uint8_t* bytes, uint32_t size);
/* WANTS_BODY: the rest of the body will not come. */
PORTAIL_EXPORT(lose_body) uint32_t portail_lose_body(uint32_t request);
/* ANSWERED and PIECE: the next piece of the answer's body. What data showed is gone. */
PORTAIL_EXPORT(next) uint32_t portail_next(uint32_t request);
/* WAITING and WANTS_BODY: gives up what is waited for, and whatever else the request may ask of the store: it is
 * ANSWERED with 503, or BROKEN where the body has begun. */
PORTAIL_EXPORT(expire) uint32_t portail_expire(uint32_t request);

/* Forgets the request, at any time: before its answer it is cancelled. Writes that were begun are the host's to finish. */
PORTAIL_EXPORT(end) void portail_end(uint32_t request);

/* Says how a store operation went, once. `status` and `result` as above. Returns the request that goes on with it, to be
 * asked for its state; 0 where no request waits for it any more, or where the import that began the operation has not
 * returned. */
PORTAIL_EXPORT(complete)
uint32_t portail_complete(uint32_t operation, uint32_t status, uint8_t* result, uint32_t result_size);

#ifdef __cplusplus
}
#endif

#endif
