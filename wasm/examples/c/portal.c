#include "portal.h"

#include "key_fetch.h"
#include "module.h"
#include "portail.h"
#include "wasm-rt-impl.h"

// The argument that wasm2c passes to every import.
struct w2c_portail {
  w2c_module module;
  FolderStore* store;
  uint32_t number;
};

struct Portal {
  struct w2c_portail host;
};

#include "wasm2c_host.h"

static Text text_at(struct w2c_portail* host, uint32_t pointer, uint32_t size) {
  return (Text){(const char*)at(host, pointer), size};
}

static void complete(struct w2c_portail* host, uint32_t operation, uint32_t status, const Bytes* result) {
  const size_t size = result ? result->size : 0;
  const uint32_t pointer = buffer(host, result ? result->bytes : NULL, size);
  w2c_module_complete(&host->module, operation, status, pointer, (uint32_t)size);
}

static uint32_t status_of(StoreResult result) {
  switch (result) {
    case STORE_DONE:
    case STORE_ABSENT:
      return PORTAIL_DONE;
    case STORE_DIFFERENT:
      return PORTAIL_DIFFERENT;
    case STORE_DAMAGED:
      return PORTAIL_CORRUPT;
    case STORE_UNAVAILABLE:
      break;
  }
  return PORTAIL_UNAVAILABLE;
}

// ---- The imports. The store is synchronous, so each of its operations is completed before the import returns. ----

void w2c_portail_get_many(struct w2c_portail* host, u32 store, u32 operation, u32 keys, u32 size) {
  (void)store, (void)size;
  const uint8_t* list = at(host, keys);
  const uint32_t count = number_at(list);
  list += 4;
  Bytes values = {0};
  append_number(&values, count);
  StoreResult result = STORE_DONE;
  store_begin_batch(host->store);
  for (uint32_t i = 0; i < count && status_of(result) == PORTAIL_DONE; ++i) {
    const Text key = {(const char*)list + 4, number_at(list)};
    list += 4 + key.size;
    Text value;
    result = store_get(host->store, key, &value);
    if (result == STORE_DONE) append_text(&values, value.bytes, value.size);
    if (result == STORE_ABSENT) append_number(&values, PORTAIL_ABSENT);
  }
  complete(host, operation, status_of(result), status_of(result) == PORTAIL_DONE ? &values : NULL);
  free(values.bytes);
}

void w2c_portail_put(struct w2c_portail* host, u32 store, u32 operation, u32 key, u32 key_size, u32 value,
                     u32 value_size) {
  (void)store;
  const StoreResult result = store_put(host->store, text_at(host, key, key_size), text_at(host, value, value_size));
  complete(host, operation, status_of(result), NULL);
}

void w2c_portail_remove(struct w2c_portail* host, u32 store, u32 operation, u32 key, u32 key_size) {
  (void)store;
  complete(host, operation, status_of(store_remove(host->store, text_at(host, key, key_size))), NULL);
}

void w2c_portail_compare_and_swap(struct w2c_portail* host, u32 store, u32 operation, u32 key, u32 key_size,
                                  u32 expected, u32 expected_size, u32 desired, u32 desired_size) {
  (void)store;
  const Text before = text_at(host, expected, expected_size);
  const StoreResult result =
      store_compare_and_swap(host->store, text_at(host, key, key_size),
                             expected_size == PORTAIL_ABSENT ? NULL : &before, text_at(host, desired, desired_size));
  complete(host, operation, status_of(result), NULL);
}

void w2c_portail_fetch(struct w2c_portail* host, u32 store, u32 operation, u32 url, u32 url_size, u32 max_size,
                       u32 milliseconds) {
  (void)store;
  key_fetch_start(operation, text_at(host, url, url_size), max_size, milliseconds);
}

void w2c_portail_pause(struct w2c_portail* host, u32 operation, u32 milliseconds) {
  (void)host;
  key_fetch_pause(operation, milliseconds);
}

void w2c_portail_log(struct w2c_portail* host, u32 store, u32 event, u32 event_size, u32 detail, u32 detail_size) {
  (void)store;
  const char* const name = (const char*)at(host, event);
  const char* const text = (const char*)at(host, detail);
  if (event_size == 6 && memcmp(name, "access", 6) == 0) {
    fprintf(stderr, "%.*s\n", (int)detail_size, text);  // it is the whole line
  } else {
    fprintf(stderr, "%.*s: %.*s\n", (int)event_size, name, (int)detail_size, text);
  }
}

// ---- The exports. ----

Portal* portal_create(FolderStore* store, const Bytes* settings) {
  static Portal portal;
  struct w2c_portail* const host = &portal.host;
  wasm_rt_init();
  host->store = store;
  wasm2c_module_instantiate(&host->module, host);
  w2c_module_0x5Finitialize(&host->module);
  const uint32_t version = w2c_module_abi_version(&host->module);
  if (version != PORTAIL_ABI_VERSION) {
    fprintf(stderr, "the module has ABI version %u; this program needs %d\n", version, PORTAIL_ABI_VERSION);
    return NULL;
  }
  const uint32_t pointer = buffer(host, settings->bytes, settings->size);
  host->number = w2c_module_create(&host->module, 1, pointer, (uint32_t)settings->size);
  if (host->number != 0) return &portal;
  fprintf(stderr, "%.*s\n", (int)w2c_module_fault_size(&host->module),
          (const char*)at(host, w2c_module_fault(&host->module)));
  return NULL;
}

void portal_free(Portal* portal) {
  wasm2c_module_free(&portal->host.module);
  wasm_rt_free();
}

static void complete_later(void* host, uint32_t operation, const Bytes* result) {
  complete(host, operation, PORTAIL_DONE, result);
}

int portal_run(Portal* portal) {
  const unsigned before = key_fetch_pending();
  if (before > 0) key_fetch_run(complete_later, &portal->host);
  return before > 0;
}

uint32_t portal_begin(Portal* portal, const Bytes* head) {
  struct w2c_portail* const host = &portal->host;
  const uint32_t pointer = buffer(host, head->bytes, head->size);
  return w2c_module_begin(&host->module, host->number, pointer, (uint32_t)head->size);
}

uint32_t portal_state(Portal* portal, uint32_t request) { return w2c_module_state(&portal->host.module, request); }

uint32_t portal_give_body(Portal* portal, uint32_t request, const void* bytes, size_t size) {
  const uint32_t pointer = buffer(&portal->host, bytes, size);
  return w2c_module_give_body(&portal->host.module, request, pointer, (uint32_t)size);
}

uint32_t portal_next(Portal* portal, uint32_t request) { return w2c_module_next(&portal->host.module, request); }

void portal_end(Portal* portal, uint32_t request) { w2c_module_end(&portal->host.module, request); }

Text portal_data(Portal* portal, uint32_t request) {
  struct w2c_portail* const host = &portal->host;
  const uint32_t pointer = w2c_module_data(&host->module, request);
  return text_at(host, pointer, w2c_module_data_size(&host->module, request));
}
