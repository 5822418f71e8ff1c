// Serves HTTP with portail.wasm compiled into the program: libmicrohttpd, a store in a folder, one thread.
#include <arpa/inet.h>
#include <limits.h>
#include <microhttpd.h>
#include <signal.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "portail.h"
#include "portal.h"
#include "wasm-rt-exceptions.h"
#include "wasm-rt-impl.h"

enum {
  MAX_BODY_SIZE = 64 * 1024,  // limit of the module
  DRAIN_TIMEOUT = 10,         // seconds for pending requests when the server stops
  // Maximum number of concurrent answers in several pieces. Until its last piece, each keeps all its values in the
  // module's memory.
  MAX_STREAMS = 8,
  MIN_STALL = 5  // seconds without a read by the client, before another answer may replace this one
};

extern char** environ;

static Portal* portal;
static unsigned pending;  // requests of HTTP
static volatile sig_atomic_t stopping;

// One HTTP request, from its first line until it is completed.
typedef struct Exchange {
  char* target;      // as received: libmicrohttpd decodes its own copy
  uint32_t request;  // the module's handle; 0 before its beginning, and after its answer was cut off
  uint32_t state;
  size_t sent;  // bytes of the current piece
  struct MHD_Connection* connection;
  time_t idle_since;  // the time of the client's last read
  struct Exchange* next_suspended;
} Exchange;

static Exchange* suspended;  // those that wait for keys

static Exchange* streams[MAX_STREAMS];  // null: the slot is free

static time_t seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

// Returns whether one more answer in several pieces may be sent. At the limit, the answer with the longest idle client
// is cut off; if no client stalls, the new answer is refused.
static int add_stream(Exchange* exchange) {
  Exchange** slot = &streams[0];
  for (Exchange** entry = streams; entry < streams + MAX_STREAMS && *slot; ++entry) {
    if (!*entry || (*entry)->idle_since < (*slot)->idle_since) slot = entry;
  }
  exchange->idle_since = seconds();
  Exchange* const oldest = *slot;
  if (oldest) {
    if (exchange->idle_since - oldest->idle_since < MIN_STALL) return 0;
    portal_end(portal, oldest->request);
    oldest->request = 0;
    MHD_set_connection_option(oldest->connection, MHD_CONNECTION_OPTION_TIMEOUT, 1U);
  }
  *slot = exchange;
  return 1;
}

static void remove_stream(const Exchange* exchange) {
  for (Exchange** entry = streams; entry < streams + MAX_STREAMS; ++entry) {
    if (*entry == exchange) *entry = NULL;
  }
}

static void* begin_exchange(void* unused, const char* target, struct MHD_Connection* connection) {
  (void)unused;
  Exchange* const exchange = calloc(1, sizeof *exchange);
  if (!exchange) return NULL;
  exchange->connection = connection;
  exchange->target = strdup(target);
  ++pending;
  return exchange;
}

static void end_exchange(void* unused, struct MHD_Connection* connection, void** context,
                         enum MHD_RequestTerminationCode code) {
  (void)unused, (void)connection, (void)code;
  Exchange* const exchange = *context;
  if (!exchange) return;
  remove_stream(exchange);
  if (exchange->request) portal_end(portal, exchange->request);
  free(exchange->target);
  free(exchange);
  --pending;
}

// Disables the decoding of targets: the module needs them as received.
static size_t keep_escapes(void* unused, struct MHD_Connection* connection, char* text) {
  (void)unused, (void)connection;
  return strlen(text);
}

typedef struct {
  Bytes encoded;
  uint32_t count;
} Headers;

static enum MHD_Result append_header(void* to, enum MHD_ValueKind kind, const char* name, size_t name_size,
                                     const char* value, size_t value_size) {
  (void)kind;
  Headers* const headers = to;
  append_text(&headers->encoded, name, name_size);
  append_text(&headers->encoded, value, value_size);
  ++headers->count;
  return MHD_YES;
}

static int has_body(struct MHD_Connection* connection) {
  const char* const length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
  return (length && strcmp(length, "0") != 0) ||
         MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Transfer-Encoding");
}

static int exceeds_limit(struct MHD_Connection* connection) {
  const char* const length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
  return length && strtoull(length, NULL, 10) > MAX_BODY_SIZE;
}

// A peer on this machine is regarded as the operator's proxy.
static int is_on_this_machine(struct MHD_Connection* connection) {
  const struct sockaddr* const peer =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
  return peer->sa_family == AF_INET &&
         ntohl(((const struct sockaddr_in*)(const void*)peer)->sin_addr.s_addr) >> 24 == 127;
}

static void begin_request(Exchange* exchange, struct MHD_Connection* connection, const char* method) {
  Bytes head = {0};
  append_number(&head, (has_body(connection) ? PORTAIL_HAS_BODY : 0) | (stopping ? PORTAIL_DRAINING : 0) |
                           (is_on_this_machine(connection) ? PORTAIL_FORWARDING_TRUSTED : 0));
  append_text(&head, method, strlen(method));
  append_text(&head, exchange->target, strlen(exchange->target));
  Headers headers = {0};
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, append_header, &headers);
  append_number(&head, headers.count);
  if (headers.count > 0) memcpy(bytes_extend(&head, headers.encoded.size), headers.encoded.bytes, headers.encoded.size);
  exchange->request = portal_begin(portal, &head);
  exchange->state = portal_state(portal, exchange->request);
  free(headers.encoded.bytes);
  free(head.bytes);
}

// Returns the next bytes of the answer's body.
static ssize_t read_answer(void* of, uint64_t position, char* to, size_t capacity) {
  (void)position;
  Exchange* const exchange = of;
  if (!exchange->request) return MHD_CONTENT_READER_END_WITH_ERROR;
  exchange->idle_since = seconds();
  Text piece = {0};
  if (exchange->state == PORTAIL_PIECE) piece = portal_data(portal, exchange->request);
  if (exchange->sent == piece.size) {
    exchange->sent = 0;
    exchange->state = portal_next(portal, exchange->request);
    if (exchange->state == PORTAIL_END) return MHD_CONTENT_READER_END_OF_STREAM;
    if (exchange->state != PORTAIL_PIECE) return MHD_CONTENT_READER_END_WITH_ERROR;
    piece = portal_data(portal, exchange->request);
  }
  const size_t size = piece.size - exchange->sent < capacity ? piece.size - exchange->sent : capacity;
  memcpy(to, piece.bytes + exchange->sent, size);
  exchange->sent += size;
  return (ssize_t)size;
}

// Converts the texts to C strings in place: each is terminated by a zero, over the size of the next one.
static void split_texts(char* rest, uint32_t count, char** texts) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t size = number_at(rest);
    *rest = 0;
    texts[i] = rest + 4;
    rest += 4 + size;
  }
}

// `texts` are alternately the names and values of the answer's headers. Returns null, in the state PORTAIL_PIECE, if
// too many answers are pending.
static struct MHD_Response* make_response(Exchange* exchange, unsigned status, char** texts, uint32_t count) {
  uint64_t length = status == MHD_HTTP_NO_CONTENT ? 0 : MHD_SIZE_UNKNOWN;
  for (uint32_t i = 0; i < count; i += 2) {
    if (strcasecmp(texts[i], "Content-Length") == 0) length = strtoull(texts[i + 1], NULL, 10);
  }
  exchange->state = portal_next(portal, exchange->request);
  const Text body = exchange->state == PORTAIL_PIECE ? portal_data(portal, exchange->request) : (Text){0};
  if (length == MHD_SIZE_UNKNOWN && exchange->state == PORTAIL_PIECE && !add_stream(exchange)) return NULL;
  // A body with a known length is whole: libmicrohttpd sends a copy of it in one write with the head.
  struct MHD_Response* const response =
      body.size == length ? MHD_create_response_from_buffer_copy(body.size, body.bytes)
                          : MHD_create_response_from_callback(length, 64 * 1024, read_answer, exchange, NULL);
  for (uint32_t i = 0; response && i < count; i += 2) {
    // libmicrohttpd writes that one itself.
    if (strcasecmp(texts[i], "Content-Length") != 0) MHD_add_response_header(response, texts[i], texts[i + 1]);
  }
  return response;
}

// Answers 503: too many requests are pending.
static enum MHD_Result refuse(struct MHD_Connection* connection) {
  struct MHD_Response* const response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
  const enum MHD_Result queued = MHD_queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE, response);
  MHD_destroy_response(response);
  return queued;
}

static enum MHD_Result send_answer(Exchange* exchange, struct MHD_Connection* connection) {
  if (exchange->state != PORTAIL_ANSWERED) return MHD_NO;
  const Text shown = portal_data(portal, exchange->request);
  const unsigned status = number_at(shown.bytes);
  const uint32_t flags = number_at(shown.bytes + 4);
  const uint32_t count = 2 * number_at(shown.bytes + 8);
  char* const head = malloc(shown.size + 1);
  char** const texts = malloc(count * sizeof *texts);
  struct MHD_Response* response = NULL;
  if (head && texts) {
    memcpy(head, shown.bytes, shown.size);
    head[shown.size] = 0;
    split_texts(head + 12, count, texts);
    response = make_response(exchange, status, texts, count);
  }
  free(texts);
  free(head);
  if (!response) return exchange->state == PORTAIL_PIECE ? refuse(connection) : MHD_NO;
  if (flags & PORTAIL_CLOSE || stopping) MHD_add_response_header(response, "Connection", "close");
  const enum MHD_Result queued = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return queued;
}

// Lets the request wait for its keys. Its callback is called again afterwards.
static enum MHD_Result suspend(Exchange* exchange, struct MHD_Connection* connection) {
  exchange->next_suspended = suspended;
  suspended = exchange;
  MHD_suspend_connection(connection);
  return MHD_YES;
}

static void resume_changed(void) {
  for (Exchange** link = &suspended; *link;) {
    Exchange* const exchange = *link;
    if (portal_state(portal, exchange->request) == PORTAIL_WAITING) {
      link = &exchange->next_suspended;
    } else {
      *link = exchange->next_suspended;
      MHD_resume_connection(exchange->connection);
    }
  }
}

// Runs the server and the portal's own work for a moment.
static void run_once(struct MHD_Daemon* daemon) {
  enum { IDLE = 1000, BUSY = 10 };  // milliseconds
  const int is_busy = portal_run(portal);
  resume_changed();
  MHD_run_wait(daemon, is_busy ? BUSY : IDLE);
}

// The callback of libmicrohttpd: called with the head, then with each piece of the body, then at its end.
static enum MHD_Result answer(void* unused, struct MHD_Connection* connection, const char* target, const char* method,
                              const char* version, const char* body, size_t* body_size, void** context) {
  (void)unused, (void)target, (void)version;
  Exchange* const exchange = *context;
  if (!exchange || !exchange->target) return MHD_NO;
  if (!exchange->request) {
    begin_request(exchange, connection, method);
    if (!exchange->request) return refuse(connection);
    if (exchange->state == PORTAIL_WAITING) return suspend(exchange, connection);
    if (exchange->state == PORTAIL_WANTS_BODY && exceeds_limit(connection)) {
      // Lets the module refuse the body for its size before it is sent.
      static const char anything[MAX_BODY_SIZE + 1];
      exchange->state = portal_give_body(portal, exchange->request, anything, sizeof anything);
    }
    // If the body is not needed, sends the answer now; the connection is closed afterwards.
    const int unwanted = exchange->state != PORTAIL_WANTS_BODY && has_body(connection);
    return unwanted ? send_answer(exchange, connection) : MHD_YES;
  }
  exchange->state = portal_state(portal, exchange->request);
  if (*body_size > 0) {
    exchange->state = portal_give_body(portal, exchange->request, body, *body_size);
    *body_size = 0;
    // The rest of a body that the module no longer needs is discarded: libmicrohttpd cannot answer within a body.
    return MHD_YES;
  }
  if (exchange->state == PORTAIL_WANTS_BODY) exchange->state = portal_give_body(portal, exchange->request, NULL, 0);
  return send_answer(exchange, connection);
}

static void stop(int signal) {
  (void)signal;
  stopping = 1;
}

static Bytes settings(char** environment) {
  Headers found = {0};
  for (; *environment; ++environment) {
    const char* const equals = strchr(*environment, '=');
    if (!equals || strncmp(*environment, "PORTAIL_", 8) != 0) continue;
    append_header(&found, MHD_HEADER_KIND, *environment, (size_t)(equals - *environment), equals + 1,
                  strlen(equals + 1));
  }
  Bytes encoded = {0};
  append_number(&encoded, found.count);
  if (found.count > 0) memcpy(bytes_extend(&encoded, found.encoded.size), found.encoded.bytes, found.encoded.size);
  free(found.encoded.bytes);
  return encoded;
}

static int serve(const char* listen) {
  char host[INET_ADDRSTRLEN];
  struct sockaddr_in address = {.sin_family = AF_INET};
  const char* const colon = strrchr(listen, ':');
  snprintf(host, sizeof host, "%.*s", colon ? (int)(colon - listen) : 0, listen);
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1) {
    fprintf(stderr, "--listen takes ADDRESS:PORT, not %s\n", listen);
    return 1;
  }
  address.sin_port = htons((uint16_t)atoi(colon + 1));
  struct MHD_Daemon* const daemon =
      MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_THREAD_SAFETY | MHD_USE_ERROR_LOG, 0, NULL,
                       NULL, answer, NULL, MHD_OPTION_SOCK_ADDR_LEN, (socklen_t)sizeof address, &address,
                       MHD_OPTION_CONNECTION_TIMEOUT, 30U, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(64 * 1024),
                       MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_URI_LOG_CALLBACK, begin_exchange,
                       NULL, MHD_OPTION_NOTIFY_COMPLETED, end_exchange, NULL, MHD_OPTION_END);
  if (!daemon) {
    perror(listen);
    return 1;
  }
  printf("Serving HTTP on http://%s:%u/\n", host, MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  while (!stopping) run_once(daemon);
  close(MHD_quiesce_daemon(daemon));  // accepts no more
  const time_t end = seconds() + DRAIN_TIMEOUT;
  while (pending > 0 && seconds() <= end) run_once(daemon);
  MHD_stop_daemon(daemon);
  return 0;
}

// Serves until a signal. Returns the exit status.
static int run(const char* listen, const char* folder) {
  static FolderStore store;
  if (!store_open(&store, folder)) {
    perror(folder);
    return 1;
  }
  // A trap of the module returns here. The instance must not be used afterwards.
  const wasm_rt_trap_t trap = (wasm_rt_trap_t)wasm_rt_impl_try();
  if (trap) {
    fprintf(stderr, "the module ended: %s\n", wasm_rt_strerror(trap));
    return 1;
  }
  Bytes encoded_settings = settings(environ);
  portal = portal_create(&store, &encoded_settings);
  free(encoded_settings.bytes);
  if (!portal) return 1;
  signal(SIGINT, stop);
  signal(SIGTERM, stop);
  signal(SIGPIPE, SIG_IGN);
  const int status = serve(listen);
  portal_free(portal);
  return status;
}

int main(int count, char** arguments) {
  const char* listen = "127.0.0.1:8080";
  const char* folder = NULL;
  for (int i = 1; i + 1 < count; i += 2) {
    if (strcmp(arguments[i], "--listen") == 0) listen = arguments[i + 1];
    if (strcmp(arguments[i], "--store") == 0) folder = arguments[i + 1];
  }
  if (!folder) {
    fputs("usage: serve --store FOLDER [--listen ADDRESS:PORT]\n", stderr);
    return 1;
  }
  return run(listen, folder);
}
