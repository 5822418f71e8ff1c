/* The ABI of portail.wasm and portail-manage.wasm: their imports and exports. This header is its specification. The module is compiled with it,
 * and hosts in C may include it for its constants.
 *
 * Overview    The host creates an instance, calls _initialize once, and compares abi_version with PORTAIL_ABI_VERSION. It creates
 *             a portal (create). For each HTTP request it calls begin, then the function for each state, until the answer is
 *             sent, and then end. While a request runs, the module calls the store's imports. The host completes the operation
 *             before it returns from the import, or at any time later. No call waits, except write_in_folder.
 * Numbers     All are little-endian. Handles of portals, requests and operations are never 0. A call with a handle that is no
 *             longer valid does nothing and returns 0; handles are not reused before 2^32 others.
 * Encoding    A "text" is a u32 count of bytes, and the bytes. There is no alignment and no terminating zero.
 * Buffers     Input is written into a buffer from allocate, which belongs to the module from the call that receives it. A size of
 *             0 needs no buffer: the pointer is 0. Output (the arguments of imports, data, fault) belongs to the module: an
 *             import's arguments are valid until the import returns, other output until the next call into the module. Any call
 *             may grow the memory: afterwards the host must get the memory again.
 * Keys        If they come from a URL, a portal fetches them by itself: it starts operations from end and complete that belong to no
 *             request, and for which complete returns 0.
 * Threads     One thread at a time may be inside an instance. An import may call only allocate, and complete for the operation
 *             that it was called with; write also write_in_folder.
 * Concurrency An instance holds any number of portals, and a portal any number of pending requests. They share only the memory.
 *             At most 65,535 handles of each kind are valid concurrently.
 * Deadlines   The module has no timer. If a request has waited too long, the host calls expire, and the answer is 503, or 408 if it
 *             waited for its body. A later complete of its operation does nothing.
 * Limits      The module answers 400 to a target of more than 8 KiB, and 413 to a PUT body of more than 64 KiB. The host limits
 *             the size of heads. Keys have at most 200 bytes, values at most 256 KiB. Values that are completed while seven
 *             eighths of the memory are in use are refused: 503.
 * Traps       If the memory is exhausted or the module has a bug, it traps. The instance must not be used afterwards.
 * Management  portail-manage.wasm is the management interface as a module of its own, with this ABI, and list_keys as a further import.
 *             Limits: 413 to a document of more than PORTAIL_MANAGE_MAX_DOCUMENT. Its requests may have thousands of operations, so
 *             the host limits the time of each operation and of each piece of a body, not that of a request.
 * Versions    Each change of the imports or exports changes PORTAIL_ABI_VERSION. A module has every import of its version, except list_keys.
 * Folders     A portal over a folder (create_in_folder) uses the imports of files instead of the store's. The module does the rest: the lease of
 *             writers, the revision, the cache. The layout is that of the native program's dir: store, which may use the folder concurrently.
 */
#ifndef PORTAIL_H
#define PORTAIL_H

#include <stdint.h>

#define PORTAIL_ABI_VERSION 3

/* The length that stands for an absent value. */
#define PORTAIL_ABSENT UINT32_C(0xFFFFFFFF)

/* The status of a completed store operation. */
enum {
  PORTAIL_DONE = 0,        /* success; the buffer has the values of get_many */
  PORTAIL_DIFFERENT = 1,   /* compare_and_swap only: the value differs from the expected one, nothing was changed */
  PORTAIL_UNAVAILABLE = 2, /* the store is unavailable, and the host logs why; the outcome of a write is unknown. 503 */
  PORTAIL_CORRUPT = 3      /* the store's result is not a value. 500 */
};

/* The state of a request, which determines the host's next call. */
enum {
  PORTAIL_UNKNOWN = 0,    /* the handle is not valid */
  PORTAIL_WAITING = 1,    /* waits for complete of a store operation */
  PORTAIL_WANTS_BODY = 2, /* waits for give_body or lose_body. A request without this state does not read its body */
  PORTAIL_ANSWERED = 3,   /* data is the answer's head; call next */
  PORTAIL_PIECE = 4,      /* data is the next piece of the answer's body, never empty; call next */
  PORTAIL_END = 5,        /* the answer is complete */
  PORTAIL_BROKEN = 6      /* the answer's body cannot be completed: abort the connection, so that the client detects it */
};

/* The result of a call of a file that failed; otherwise it is 0 or a size. */
enum {
  PORTAIL_FILE_MISSING = -1,  /* nothing has that name, or its folder does not exist */
  PORTAIL_FILE_OCCUPIED = -2, /* the name exists, or a folder has content */
  PORTAIL_FILE_OTHER = -3,    /* it is not of the kind that the call needs: a folder, a link, a FIFO */
  PORTAIL_FILE_FAILED = -4    /* any other reason, which the host logs without the path: it has identifiers */
};

/* What a file is. Links are not followed. */
enum { PORTAIL_REGULAR_FILE = 0, PORTAIL_FOLDER = 1, PORTAIL_OTHER_FILE = 2 };

typedef struct {
  uint32_t kind;    /* one of the above */
  uint32_t unused;  /* 0 */
  uint64_t size;    /* bytes */
  int64_t modified; /* mtime in nanoseconds since 1970, as precisely as the host has it */
  int64_t changed;  /* ctime, the same; 0 if the host has none */
} portail_file_info;

/* A request's head:   u32 of the flags below; text method; text target as received: the path, percent-encoded, with "?" and the
 *                     query; u32 count of headers; for each: text name, text value. Headers are in the order of arrival, the
 *                     letters of a value in the case received; repeated headers are not joined. */
enum {
  PORTAIL_HTTPS = 1,              /* the host, or a front end that it controls, terminated TLS */
  PORTAIL_FORWARDING_TRUSTED = 2, /* X-Forwarded-Proto and Forwarded come from a peer that the operator trusts */
  PORTAIL_DRAINING = 4,           /* the host is shutting down: /health/ready reports it */
  PORTAIL_HAS_BODY = 8            /* a body may follow */
};

/* An answer's head:   u32 status; u32 of the flag below; u32 count of headers; for each: text name, text value.
 *                     If Content-Length is present, also for HEAD, the first next returns the whole body as one piece. */
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

/* ---- Imports, of module "portail". `store` is the number that the host passed to create, or to create_in_folder. ---- */

/* Reads the values of several keys, if possible in one round trip. `keys`: u32 count, texts. The result has the same count, and for
 * each key, in the same order, its value as a text, or PORTAIL_ABSENT alone. */
PORTAIL_IMPORT(get_many)
void portail_get_many(uint32_t store, uint32_t operation, const uint8_t* keys, uint32_t keys_size);

/* Sets the key. Completed without a buffer, when the value is as durable as the store makes it. */
PORTAIL_IMPORT(put)
void portail_put(uint32_t store, uint32_t operation, const uint8_t* key, uint32_t key_size, const uint8_t* value,
                 uint32_t value_size);

/* Removes the key. Succeeds if it does not exist. Completed without a buffer. */
PORTAIL_IMPORT(remove)
void portail_remove(uint32_t store, uint32_t operation, const uint8_t* key, uint32_t key_size);

/* Sets the key if its value is exactly `expected`, or, if expected_size is PORTAIL_ABSENT, if it has none. Completed without a
 * buffer. Atomic among all writers if the store supports it; otherwise a read and a write, so one of two concurrent changes may
 * be lost. */
PORTAIL_IMPORT(compare_and_swap)
void portail_compare_and_swap(uint32_t store, uint32_t operation, const uint8_t* key, uint32_t key_size,
                              const uint8_t* expected, uint32_t expected_size, const uint8_t* desired,
                              uint32_t desired_size);

/* Only of portail-manage.wasm. Lists at least the keys that begin with `prefix`, each in any order and at least once: others are ignored.
 * The result: u32 count, texts. */
PORTAIL_IMPORT(list_keys)
void portail_list_keys(uint32_t store, uint32_t operation, const uint8_t* prefix, uint32_t prefix_size);

/* Sends GET to `url` (http or https) with the header Accept: application/json, to fetch a key set; follows no redirect. Is called only if
 * PORTAIL_JWKS is a URL, also for no request, from `end` and `complete`. Completed with PORTAIL_DONE and u32 status; the body, if the
 * status is 200, of at most `max_size` bytes: the rest is not needed. Without an answer after so many milliseconds, or if the host does not
 * fetch: a status of 0, and a line for the operator. */
PORTAIL_IMPORT(fetch)
void portail_fetch(uint32_t store, uint32_t operation, const uint8_t* url, uint32_t url_size, uint32_t max_size,
                   uint32_t milliseconds);

/* Completed without a buffer after so many milliseconds. Is called only by requests that wait for a fetch. */
PORTAIL_IMPORT(pause) void portail_pause(uint32_t operation, uint32_t milliseconds);

/* Imports of files. `folder` is the number that the host passed to create_in_folder. A path is relative to it, of names in UTF-8 with '/'
 * between them, without ".."; the empty path is the folder itself. Each call is done when it returns, and calls no export. Files and folders
 * that are made belong to the user alone. No link is followed in the last part of a path, except in the folder's own. The store is correct if
 * creations are exclusive and renames atomic, and if calls fail as described, also while other programs create, rename and remove. */

/* Writes to `status` what has that name. */
PORTAIL_IMPORT(file_status)
int32_t portail_file_status(uint32_t folder, const uint8_t* path, uint32_t path_size, portail_file_info* status);

/* Reads a regular file, and returns its size, or INT32_MAX if that is more. If it is more than `size`, the content of `bytes` is undefined. Of
 * a file that becomes shorter meanwhile, returns the number of bytes that were read. Must not block on a FIFO. */
PORTAIL_IMPORT(file_read)
int32_t portail_file_read(uint32_t folder, const uint8_t* path, uint32_t path_size, uint8_t* bytes, uint32_t size);

/* Creates a file of `bytes`, and zeros up to `length`, which is at least `size`; zeros need no space. `is_durable` not 0: the content survives
 * power loss when the call returns. Fails if the name exists. */
PORTAIL_IMPORT(file_create)
int32_t portail_file_create(uint32_t folder, const uint8_t* path, uint32_t path_size, const uint8_t* bytes, uint32_t size, uint64_t length,
                            uint32_t is_durable);

/* Makes a folder. Fails if the name exists. */
PORTAIL_IMPORT(file_make_folder) int32_t portail_file_make_folder(uint32_t folder, const uint8_t* path, uint32_t path_size);

/* Renames a file or folder: at each time, others find one of the two names. A file replaces a file, also an open one, and a folder an empty folder;
 * PORTAIL_FILE_OCCUPIED if that has content. */
PORTAIL_IMPORT(file_rename)
int32_t portail_file_rename(uint32_t folder, const uint8_t* from, uint32_t from_size, const uint8_t* to, uint32_t to_size);

/* Removes a file that is not a folder; with `is_folder` not 0, an empty folder. */
PORTAIL_IMPORT(file_remove)
int32_t portail_file_remove(uint32_t folder, const uint8_t* path, uint32_t path_size, uint32_t is_folder);

/* Writes the names in a folder to `names`, in any order and without "." and "..", with a zero after each. Returns their size. If
 * that is more than `size`, the content of `names` is undefined. */
PORTAIL_IMPORT(file_list)
int32_t portail_file_list(uint32_t folder, const uint8_t* path, uint32_t path_size, uint8_t* names, uint32_t size);

/* Makes the names in a folder durable, where the file system has such a call. */
PORTAIL_IMPORT(file_sync) int32_t portail_file_sync(uint32_t folder, const uint8_t* path, uint32_t path_size);

/* Blocks the thread for so many milliseconds. As monotonic, it is called only within write_in_folder. */
PORTAIL_IMPORT(wait) void portail_wait(uint32_t milliseconds);

/* Returns the microseconds of a clock that is never set, since any time. */
PORTAIL_IMPORT(monotonic) int64_t portail_monotonic(void);

/* Writes to the folder: the host calls write_in_folder with a copy of `work`, and completes the operation with its result. A host whose thread
 * must not block calls it on another instance of the module, in a thread of its own. Other hosts call it on this instance, before they return:
 * it is the only other export that an import may call. The works of concurrent requests may be done in any order, also concurrently. */
PORTAIL_IMPORT(write)
void portail_write(uint32_t folder, uint32_t operation, const uint8_t* work, uint32_t work_size);

/* Returns the microseconds since 1970-01-01T00:00:00Z, without leap seconds. */
PORTAIL_IMPORT(now) int64_t portail_now(void);

/* Fills `bytes` with random bytes of cryptographic quality. */
PORTAIL_IMPORT(random) void portail_random(uint8_t* bytes, uint32_t size);

/* Logs a message for the operator. `event` is a constant phrase, `detail` a line of UTF-8 without tokens or personal data. `store` is
 * 0 if the message concerns the instance as a whole. For the event "access", `detail` is the complete access line, a JSON object that
 * says who read or was refused what (docs/reference/log-events.md): the host writes it unchanged, before the answer. */
PORTAIL_IMPORT(log)
void portail_log(uint32_t store, const uint8_t* event, uint32_t event_size, const uint8_t* detail, uint32_t detail_size);

/* ---- Exports, beside "memory" and "_initialize". ---- */

/* PORTAIL_ABI_VERSION of the module. A host built for another version must stop. */
PORTAIL_EXPORT(abi_version) uint32_t portail_abi_version(void);

/* Allocates a buffer for input of one of the calls below. Never returns 0. */
PORTAIL_EXPORT(allocate) uint8_t* portail_allocate(uint32_t size);

/* Frees a buffer that was not passed to a call. */
PORTAIL_EXPORT(release) void portail_release(uint8_t* buffer);

/* Creates a portal over `store`, a number that the host chooses, not 0, and that imports receive. `settings`: u32 count; for each:
 * text name, text value. The names are PORTAIL_ISSUER and so on (docs/reference/module-abi.md). Returns the portal's handle; 0 if a
 * setting is unknown or invalid: `fault` is then one line for the operator, of fault_size bytes, valid until the next create. */
PORTAIL_EXPORT(create) uint32_t portail_create(uint32_t store, uint8_t* settings, uint32_t settings_size);
PORTAIL_EXPORT(fault) const uint8_t* portail_fault(void);
PORTAIL_EXPORT(fault_size) uint32_t portail_fault_size(void);

/* Creates a portal over `folder`, a number that no store of the instance has; otherwise as create. `create` not 0: makes the folder if it
 * is missing, and accepts an empty one. `name` is what faults call the folder. */
PORTAIL_EXPORT(create_in_folder)
uint32_t portail_create_in_folder(uint32_t folder, uint32_t create, uint8_t* name, uint32_t name_size, uint8_t* settings,
                                  uint32_t settings_size);

/* Does the work of the import write, and returns the operation's status. Waits while other writers are at work, for at most 30
 * seconds. The instance needs no portal. */
PORTAIL_EXPORT(write_in_folder) uint32_t portail_write_in_folder(uint32_t folder, uint8_t* work, uint32_t work_size);

/* Ends the portal and all its requests. Pending operations may be completed afterwards, or never. */
PORTAIL_EXPORT(dispose) void portail_dispose(uint32_t portal);

/* Creates a request, and runs it until it waits. Returns its handle; 0 if the portal's handle is not valid, the head is malformed,
 * or too many requests are pending: 65,535, or as many as need half of the memory. The host itself must answer 503 then. */
PORTAIL_EXPORT(begin) uint32_t portail_begin(uint32_t portal, uint8_t* head, uint32_t head_size);

/* Return the state of the request, and its data, in states that have data. */
PORTAIL_EXPORT(state) uint32_t portail_state(uint32_t request);
PORTAIL_EXPORT(data) const uint8_t* portail_data(uint32_t request);
PORTAIL_EXPORT(data_size) uint32_t portail_data_size(uint32_t request);

/* The following calls advance a request. Each returns its new state, and does nothing in other states than those named. */

/* WANTS_BODY: passes the next bytes of the body; a size of 0 is its end. */
PORTAIL_EXPORT(give_body) uint32_t portail_give_body(uint32_t request, uint8_t* bytes, uint32_t size);
/* WANTS_BODY: reports that the rest of the body cannot be received: 400. */
PORTAIL_EXPORT(lose_body) uint32_t portail_lose_body(uint32_t request);
/* ANSWERED and PIECE: advances to the next piece of the answer's body. The previous data is no longer valid. */
PORTAIL_EXPORT(next) uint32_t portail_next(uint32_t request);
/* WAITING and WANTS_BODY: cancels the wait, and all further store operations of the request. The new state is ANSWERED with 503
 * (WAITING) or 408 (WANTS_BODY), or BROKEN if the answer's body has begun. */
PORTAIL_EXPORT(expire) uint32_t portail_expire(uint32_t request);

/* Frees the request, in any state. Before its answer this cancels it. The host should complete writes that have begun. */
PORTAIL_EXPORT(end) void portail_end(uint32_t request);

/* Completes a store operation, once. `status` and `result` are described above. Returns the handle of the request that continues,
 * whose state has changed; 0 if no request waits for the operation, or the import that began it has not returned yet. */
PORTAIL_EXPORT(complete)
uint32_t portail_complete(uint32_t operation, uint32_t status, uint8_t* result, uint32_t result_size);

#ifdef __cplusplus
}
#endif

#endif
