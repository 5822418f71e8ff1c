#include "key_fetch.h"

#include <curl/curl.h>
#include <time.h>

// A fetch, or a pause if `transfer` is null.
typedef struct Entry {
  struct Entry* next;
  uint32_t operation;
  CURL* transfer;
  Bytes result;
  size_t limit;
  int64_t due;  // of a pause
  CURLcode code;
  int has_ended;
} Entry;

static CURLM* transfers;
static Entry* entries;
static unsigned count;

static int64_t milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static Entry* add_entry(uint32_t operation) {
  Entry* const entry = calloc(1, sizeof *entry);
  if (!entry) abort();
  entry->operation = operation;
  entry->next = entries;
  entries = entry;
  ++count;
  return entry;
}

// Called by libcurl with bytes of the body. Returns fewer to end the transfer.
static size_t take_body(const char* bytes, size_t unit, size_t size, void* to) {
  (void)unit;
  Entry* const entry = to;
  const size_t left = entry->limit - entry->result.size;
  const size_t taken = size < left ? size : left;
  if (taken > 0) memcpy(bytes_extend(&entry->result, taken), bytes, taken);
  return taken;
}

void key_fetch_start(uint32_t operation, Text url, size_t limit, uint32_t milliseconds) {
  static struct curl_slist* headers;
  if (!transfers) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    transfers = curl_multi_init();
    headers = curl_slist_append(NULL, "Accept: application/json");
  }
  Entry* const entry = add_entry(operation);
  entry->limit = limit;
  entry->transfer = curl_easy_init();
  char* const location = strndup(url.bytes, url.size);
  if (!entry->transfer || !location) abort();
  curl_easy_setopt(entry->transfer, CURLOPT_URL, location);  // copied
  curl_easy_setopt(entry->transfer, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(entry->transfer, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(entry->transfer, CURLOPT_TIMEOUT_MS, (long)milliseconds);
  curl_easy_setopt(entry->transfer, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(entry->transfer, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(entry->transfer, CURLOPT_WRITEDATA, entry);
  curl_easy_setopt(entry->transfer, CURLOPT_PRIVATE, entry);
  curl_multi_add_handle(transfers, entry->transfer);
  free(location);
}

void key_fetch_pause(uint32_t operation, uint32_t milliseconds) {
  add_entry(operation)->due = milliseconds_now() + milliseconds;
}

// Puts the status and the body, or the reason, into the result.
static void finish_transfer(Entry* entry) {
  long status = 0;
  curl_easy_getinfo(entry->transfer, CURLINFO_RESPONSE_CODE, &status);
  Bytes body = entry->result;
  entry->result = (Bytes){0};
  const int is_limited = entry->code == CURLE_WRITE_ERROR && body.size == entry->limit;
  const int has_answer = status != 0 && (entry->code == CURLE_OK || is_limited);
  const char* const reason = entry->code == CURLE_OPERATION_TIMEDOUT ? "timed out" : curl_easy_strerror(entry->code);
  append_number(&entry->result, has_answer ? (uint32_t)status : 0);
  const Text rest =
      has_answer ? (Text){(const char*)body.bytes, status == 200 ? body.size : 0} : (Text){reason, strlen(reason)};
  if (rest.size > 0) memcpy(bytes_extend(&entry->result, rest.size), rest.bytes, rest.size);
  free(body.bytes);
  curl_multi_remove_handle(transfers, entry->transfer);
  curl_easy_cleanup(entry->transfer);
}

static void run_transfers(void) {
  int running = 0;
  int left = 0;
  curl_multi_perform(transfers, &running);
  for (CURLMsg* message; (message = curl_multi_info_read(transfers, &left));) {
    char* entry = NULL;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &entry);
    ((Entry*)(void*)entry)->has_ended = 1;
    ((Entry*)(void*)entry)->code = message->data.result;
  }
}

void key_fetch_run(CompleteOperation* complete, void* context) {
  if (transfers) run_transfers();
  Entry* ended = NULL;
  for (Entry** link = &entries; *link;) {
    Entry* const entry = *link;
    if (entry->transfer ? entry->has_ended : milliseconds_now() >= entry->due) {
      *link = entry->next;
      entry->next = ended;
      ended = entry;
    } else {
      link = &entry->next;
    }
  }
  // Completing one may start others.
  while (ended) {
    Entry* const entry = ended;
    ended = entry->next;
    --count;
    if (entry->transfer) finish_transfer(entry);
    complete(context, entry->operation, &entry->result);
    free(entry->result.bytes);
    free(entry);
  }
}

unsigned key_fetch_pending(void) { return count; }
