/* Answers one request by portail.wasm, which wasm2c has translated to module.c, over a directory of values: prints a bundle of a client.
   It takes no writes. Its argument is the directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "module.h"
#include "portail.h"
#include "wasm-rt-impl.h"

/* The argument that wasm2c passes to every import. */
struct w2c_portail {
  w2c_module module;
  const char* folder;
};

#include "wasm2c_host.h"

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

/* Writes to `full` the path of a file of the folder, or of the folder itself. */
static void name_file(struct w2c_portail* host, u32 path, u32 size, char full[512]) {
  snprintf(full, 512, "%s%s%.*s", host->folder, size > 0 ? "/" : "", (int)size, (const char*)at(host, path));
}

/* Returns the result of a call that failed. */
static u32 failure(void) {
  switch (errno) {
    case ENOENT: return (u32)PORTAIL_FILE_MISSING;
    case EISDIR: case ELOOP: case ENOTDIR: case ENXIO: return (u32)PORTAIL_FILE_OTHER;
    default: fprintf(stderr, "store: %s\n", strerror(errno)); return (u32)PORTAIL_FILE_FAILED;
  }
}

/* ---- The imports. ---- */

u32 w2c_portail_file_status(struct w2c_portail* host, u32 folder, u32 path, u32 size, u32 found) {
  char name[512];
  struct stat status;
  portail_file_info info;
  (void)folder;
  name_file(host, path, size, name);
  if (fstatat(AT_FDCWD, name, &status, size > 0 ? AT_SYMLINK_NOFOLLOW : 0) != 0) return failure();
  info.kind = S_ISREG(status.st_mode) ? PORTAIL_REGULAR_FILE : S_ISDIR(status.st_mode) ? PORTAIL_FOLDER : PORTAIL_OTHER_FILE;
  info.unused = 0;
  info.size = (uint64_t)status.st_size;
  info.modified = status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec;
  info.changed = status.st_ctim.tv_sec * 1000000000LL + status.st_ctim.tv_nsec;
  memcpy(at(host, found), &info, sizeof info);
  return 0;
}

u32 w2c_portail_file_read(struct w2c_portail* host, u32 folder, u32 path, u32 path_size, u32 bytes, u32 size) {
  char name[512];
  struct stat status;
  (void)folder;
  name_file(host, path, path_size, name);
  const int file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return failure();
  u32 result = (u32)PORTAIL_FILE_OTHER;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    result = status.st_size > INT32_MAX ? INT32_MAX : (u32)status.st_size;
    if (result <= size) {
      const ssize_t count = read(file, at(host, bytes), result);
      result = count < 0 ? failure() : (u32)count;
    }
  }
  close(file);
  return result;
}

u32 w2c_portail_file_list(struct w2c_portail* host, u32 folder, u32 path, u32 path_size, u32 names, u32 size) {
  char name[512];
  size_t total = 0;
  (void)folder;
  name_file(host, path, path_size, name);
  DIR* const entries = opendir(name);
  if (!entries) return failure();
  for (const struct dirent* entry; (entry = readdir(entries)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    const size_t length = strlen(entry->d_name) + 1;
    if (total + length <= size) memcpy(at(host, names) + total, entry->d_name, length);
    total += length;
  }
  closedir(entries);
  return (u32)total;
}

/* Only writers call the other imports of files. */
u32 w2c_portail_file_create(struct w2c_portail*, u32, u32, u32, u32, u32, u64, u32) { return (u32)PORTAIL_FILE_FAILED; }
u32 w2c_portail_file_make_folder(struct w2c_portail*, u32, u32, u32) { return (u32)PORTAIL_FILE_FAILED; }
u32 w2c_portail_file_rename(struct w2c_portail*, u32, u32, u32, u32, u32) { return (u32)PORTAIL_FILE_FAILED; }
u32 w2c_portail_file_remove(struct w2c_portail*, u32, u32, u32, u32) { return (u32)PORTAIL_FILE_FAILED; }
u32 w2c_portail_file_sync(struct w2c_portail*, u32, u32, u32) { return (u32)PORTAIL_FILE_FAILED; }
void w2c_portail_wait(struct w2c_portail*, u32) {}

void w2c_portail_write(struct w2c_portail* host, u32 folder, u32 operation, u32 work, u32 work_size) {
  (void)folder, (void)work, (void)work_size;
  w2c_module_complete(&host->module, operation, PORTAIL_UNAVAILABLE, 0, 0);
}

/* Only a portal over a store of its host calls these. */
void w2c_portail_get_many(struct w2c_portail*, u32, u32, u32, u32) {}
void w2c_portail_put(struct w2c_portail*, u32, u32, u32, u32, u32, u32) {}
void w2c_portail_remove(struct w2c_portail*, u32, u32, u32, u32) {}
void w2c_portail_compare_and_swap(struct w2c_portail*, u32, u32, u32, u32, u32, u32, u32, u32) {}

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
  const uint32_t name_size = (uint32_t)strlen(host.folder), name = buffer(&host, host.folder, name_size);
  const uint32_t portal = w2c_module_create_in_folder(module, 1, 0, name, name_size, buffer(&host, bytes, size), size);
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
