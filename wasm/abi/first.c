/* Answers one request by portail.wasm, which wasm2c has translated to module.c, over a directory of values: prints a bundle of a client.
   It takes no writes. Its argument is the directory. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "module.h"
#include "portail.h"
#include "wasm-rt-impl.h"

/* The argument that wasm2c passes to every import. */
struct w2c_portail {
  w2c_module module;
  const char* folder;
};

#include "wasm2c_host.h"

enum { MAX_VALUE = 256 * 1024 };

static uint32_t number_at(const uint8_t* bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Appends to a buffer that is large enough. */
static uint8_t* put_number(uint8_t* end, uint32_t number) {
  for (int i = 0; i < 4; ++i) *end++ = (uint8_t)(number >> 8 * i);
  return end;
}

static uint8_t* put_text(uint8_t* end, const char* text) {
  const size_t size = strlen(text);
  end = put_number(end, (uint32_t)size);
  memcpy(end, text, size);
  return end + size;
}

/* Appends the value of a key as a text, or PORTAIL_ABSENT if the directory has no file of this name. */
static uint8_t* put_value(uint8_t* end, const char* folder, const uint8_t* key, uint32_t size) {
  char path[512];
  snprintf(path, sizeof path, "%s/%.*s", folder, (int)size, (const char*)key);
  FILE* const file = fopen(path, "rb");
  if (!file) return put_number(end, PORTAIL_ABSENT);
  const size_t read = fread(end + 4, 1, MAX_VALUE, file);
  fclose(file);
  return put_number(end, (uint32_t)read) + read;
}

static void refuse(struct w2c_portail* host, u32 operation) {
  w2c_module_complete(&host->module, operation, PORTAIL_UNAVAILABLE, 0, 0);
}

/* ---- The imports. ---- */

void w2c_portail_get_many(struct w2c_portail* host, u32 store, u32 operation, u32 keys, u32 size) {
  (void)store, (void)size;
  const uint8_t* key = at(host, keys);
  const uint32_t count = number_at(key);
  uint8_t* const values = malloc(4 + (4 + MAX_VALUE) * (size_t)count);
  uint8_t* end = put_number(values, count);
  key += 4;
  for (uint32_t i = 0; i < count; ++i, key += 4 + number_at(key)) end = put_value(end, host->folder, key + 4, number_at(key));
  const uint32_t result_size = (uint32_t)(end - values);
  w2c_module_complete(&host->module, operation, PORTAIL_DONE, buffer(host, values, result_size), result_size);
  free(values);
}

void w2c_portail_put(struct w2c_portail* host, u32 store, u32 operation, u32 key, u32 key_size, u32 value, u32 value_size) {
  (void)store, (void)key, (void)key_size, (void)value, (void)value_size;
  refuse(host, operation);
}

void w2c_portail_remove(struct w2c_portail* host, u32 store, u32 operation, u32 key, u32 key_size) {
  (void)store, (void)key, (void)key_size;
  refuse(host, operation);
}

void w2c_portail_compare_and_swap(struct w2c_portail* host, u32 store, u32 operation, u32 key, u32 key_size, u32 expected,
                                  u32 expected_size, u32 desired, u32 desired_size) {
  (void)store, (void)key, (void)key_size, (void)expected, (void)expected_size, (void)desired, (void)desired_size;
  refuse(host, operation);
}

/* Called only if PORTAIL_JWKS is a URL. */
void w2c_portail_fetch(struct w2c_portail* host, u32 store, u32 operation, u32 url, u32 url_size, u32 max_size, u32 milliseconds) {
  static const uint8_t nothing[4]; /* the status of a host that does not fetch */
  (void)store, (void)url, (void)url_size, (void)max_size, (void)milliseconds;
  w2c_module_complete(&host->module, operation, PORTAIL_DONE, buffer(host, nothing, 4), 4);
}

void w2c_portail_pause(struct w2c_portail* host, u32 operation, u32 milliseconds) {
  (void)milliseconds;
  w2c_module_complete(&host->module, operation, PORTAIL_DONE, 0, 0);
}

void w2c_portail_log(struct w2c_portail* host, u32 store, u32 event, u32 event_size, u32 detail, u32 detail_size) {
  (void)store;
  fprintf(stderr, "%.*s: %.*s\n", (int)event_size, (const char*)at(host, event), (int)detail_size, (const char*)at(host, detail));
}

/* ---- One portal and one request. ---- */

static struct w2c_portail host;

/* Appends the base64url form of the bytes to a text. */
static void append_base64(char* text, size_t capacity, const void* bytes, size_t size) {
  const size_t length = strlen(text);
  sodium_bin2base64(text + length, capacity - length, bytes, size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

/* Writes a key set with a new key, and a header with a token of it. A real host has the public keys of its identity provider. */
static void issue(const char* subject, char key_set[200], char authorization[600]) {
  unsigned char key[crypto_auth_hmacsha256_KEYBYTES], code[crypto_auth_hmacsha256_BYTES];
  const char head[] = "{\"alg\":\"HS256\",\"kid\":\"first\"}";
  char claims[200];
  crypto_auth_hmacsha256_keygen(key);
  strcpy(key_set, "{\"keys\":[{\"kty\":\"oct\",\"alg\":\"HS256\",\"kid\":\"first\",\"k\":\"");
  append_base64(key_set, 200, key, sizeof key);
  strcat(key_set, "\"}]}");

  snprintf(claims, sizeof claims, "{\"iss\":\"https://development.invalid\",\"aud\":\"portail\",\"sub\":\"%s\",\"exp\":%lld}", subject,
           (long long)time(NULL) + 3600);
  strcpy(authorization, "Bearer ");
  char* const token = authorization + strlen(authorization);
  append_base64(authorization, 600, head, strlen(head));
  strcat(authorization, ".");
  append_base64(authorization, 600, claims, strlen(claims));
  crypto_auth_hmacsha256(code, (const unsigned char*)token, strlen(token), key);
  strcat(authorization, ".");
  append_base64(authorization, 600, code, sizeof code);
}

int main(int count, char** arguments) {
  w2c_module* const module = &host.module;
  uint8_t bytes[1024];
  char key_set[200], authorization[600];
  host.folder = count > 1 ? arguments[1] : "sample";
  wasm_rt_init();
  wasm2c_module_instantiate(module, &host);
  w2c_module_0x5Finitialize(module);
  if (w2c_module_abi_version(module) != PORTAIL_ABI_VERSION) {
    fprintf(stderr, "the module has ABI version %u; this program needs %d\n", w2c_module_abi_version(module), PORTAIL_ABI_VERSION);
    return 1;
  }
  if (sodium_init() < 0) return 1;
  issue("sub-client-1", key_set, authorization);

  /* The settings: a count of pairs, and the pairs. */
  uint8_t* end = put_number(bytes, 3);
  end = put_text(put_text(end, "PORTAIL_ISSUER"), "https://development.invalid");
  end = put_text(put_text(end, "PORTAIL_AUDIENCE"), "portail");
  end = put_text(put_text(end, "PORTAIL_JWKS"), key_set);
  uint32_t size = (uint32_t)(end - bytes);
  const uint32_t portal = w2c_module_create(module, 1, buffer(&host, bytes, size), size);
  if (portal == 0) {
    fprintf(stderr, "%.*s\n", (int)w2c_module_fault_size(module), (const char*)at(&host, w2c_module_fault(module)));
    return 1;
  }

  /* The head: flags, method, target, and one header. */
  end = put_number(bytes, PORTAIL_HTTPS);
  end = put_number(put_text(put_text(end, "GET"), "/api/app/liasse/L-2024-0002"), 1);
  end = put_text(put_text(end, "Authorization"), authorization);
  size = (uint32_t)(end - bytes);
  const uint32_t request = w2c_module_begin(module, portal, buffer(&host, bytes, size), size);
  uint32_t state = w2c_module_state(module, request), status = 0;
  if (state == PORTAIL_ANSWERED) {
    status = number_at(at(&host, w2c_module_data(module, request)));
    state = w2c_module_next(module, request);
  }
  for (; state == PORTAIL_PIECE; state = w2c_module_next(module, request)) {
    const uint32_t data = w2c_module_data(module, request);
    printf("%.*s\n", (int)w2c_module_data_size(module, request), (const char*)at(&host, data));
  }
  w2c_module_end(module, request);
  wasm2c_module_free(module);
  wasm_rt_free();
  return status == 200 && state == PORTAIL_END ? 0 : 1;
}
