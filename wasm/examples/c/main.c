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
  LONGEST_BODY = 64 * 1024,  // that the module takes
  DRAIN = 10,                // seconds that requests under way have when the server stops
  // Answers of several pieces that are sent at a time. Until its last piece, each holds in the module all values that
  // it is made of.
  MAX_STREAMS = 8,
  MIN_STALL = 5  // seconds for which a client has taken nothing, before another answer may have its room
};

extern char** environ;

static Portal* portal;
static unsigned under_way;  // requests of HTTP
static volatile sig_atomic_t stopping;

// One request of HTTP, from its first line until it is completed.
typedef struct {
  char* target;      // as received: libmicrohttpd decodes the one that it hands over later
  uint32_t request;  // the module's; 0 before it has begun, and when its answer was broken off
  uint32_t state;
  size_t sent;  // of the piece that the module shows
  struct MHD_Connection* connection;
  time_t waits_since;  // for its client
} Exchange;

static Exchange* streams[MAX_STREAMS];  // null: this place is free

static time_t seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

// Whether one more answer of several pieces may be sent. If as many are under way as may be, the one whose client has
// taken nothing for longest is broken off; if none of them stalls, the new one is refused.
static int join_streams(Exchange* exchange) {
  Exchange** place = &streams[0];
  for (Exchange** each = streams; each < streams + MAX_STREAMS && *place; ++each) {
    if (!*each || (*each)->waits_since < (*place)->waits_since) place = each;
  }
  exchange->waits_since = seconds();
  Exchange* const oldest = *place;
  if (oldest) {
    if (exchange->waits_since - oldest->waits_since < MIN_STALL) return 0;
    portal_end(portal, oldest->request);
    oldest->request = 0;
    MHD_set_connection_option(oldest->connection, MHD_CONNECTION_OPTION_TIMEOUT, 1U);
  }
  *place = exchange;
  return 1;
}

static void leave_streams(const Exchange* exchange) {
  for (Exchange** each = streams; each < streams + MAX_STREAMS; ++each) {
    if (*each == exchange) *each = NULL;
  }
}

static void* begin_exchange(void* unused, const char* target, struct MHD_Connection* connection) {
  (void)unused;
  Exchange* const exchange = calloc(1, sizeof *exchange);
  if (!exchange) return NULL;
  exchange->connection = connection;
  exchange->target = strdup(target);
  ++under_way;
  return exchange;
}

static void end_exchange(void* unused, struct MHD_Connection* connection, void** known,
                         enum MHD_RequestTerminationCode code) {
  (void)unused, (void)connection, (void)code;
  Exchange* const exchange = *known;
  if (!exchange) return;
  leave_streams(exchange);
  if (exchange->request) portal_end(portal, exchange->request);
  free(exchange->target);
  free(exchange);
  --under_way;
}

// Targets reach the module as they were received.
static size_t leave_escapes(void* unused, struct MHD_Connection* connection, char* text) {
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

static int is_too_long(struct MHD_Connection* connection) {
  const char* const length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
  return length && strtoull(length, NULL, 10) > LONGEST_BODY;
}

// A peer on this machine is taken for the operator's own proxy.
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

// The answer's body, piece by piece, as its client takes it.
static ssize_t read_answer(void* of, uint64_t position, char* to, size_t room) {
  (void)position;
  Exchange* const exchange = of;
  if (!exchange->request) return MHD_CONTENT_READER_END_WITH_ERROR;
  exchange->waits_since = seconds();
  Text piece = {0};
  if (exchange->state == PORTAIL_PIECE) piece = portal_data(portal, exchange->request);
  if (exchange->sent == piece.size) {
    exchange->sent = 0;
    exchange->state = portal_next(portal, exchange->request);
    if (exchange->state == PORTAIL_END) return MHD_CONTENT_READER_END_OF_STREAM;
    if (exchange->state != PORTAIL_PIECE) return MHD_CONTENT_READER_END_WITH_ERROR;
    piece = portal_data(portal, exchange->request);
  }
  const size_t size = piece.size - exchange->sent < room ? piece.size - exchange->sent : room;
  memcpy(to, piece.bytes + exchange->sent, size);
  exchange->sent += size;
  return (ssize_t)size;
}

// Makes strings of the texts, in place: each is ended by a zero, where the size of the next one was.
static void split_texts(char* rest, uint32_t count, char** texts) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t size = number_at(rest);
    *rest = 0;
    texts[i] = rest + 4;
    rest += 4 + size;
  }
}

// `texts` are the names and values of the answer's headers in turn. Null, in the state PORTAIL_PIECE, where too many
// answers are under way.
static struct MHD_Response* make_response(Exchange* exchange, unsigned status, char** texts, uint32_t count) {
  uint64_t length = status == MHD_HTTP_NO_CONTENT ? 0 : MHD_SIZE_UNKNOWN;
  for (uint32_t i = 0; i < count; i += 2) {
    if (strcasecmp(texts[i], "Content-Length") == 0) length = strtoull(texts[i + 1], NULL, 10);
  }
  exchange->state = portal_next(portal, exchange->request);
  const Text body = exchange->state == PORTAIL_PIECE ? portal_data(portal, exchange->request) : (Text){0};
  if (length == MHD_SIZE_UNKNOWN && exchange->state == PORTAIL_PIECE && !join_streams(exchange)) return NULL;
  // A body whose length is known comes whole: libmicrohttpd sends a copy of it in one write with the head.
  struct MHD_Response* const response =
      body.size == length ? MHD_create_response_from_buffer_copy(body.size, body.bytes)
                          : MHD_create_response_from_callback(length, 64 * 1024, read_answer, exchange, NULL);
  for (uint32_t i = 0; response && i < count; i += 2) {
    // libmicrohttpd writes that one itself.
    if (strcasecmp(texts[i], "Content-Length") != 0) MHD_add_response_header(response, texts[i], texts[i + 1]);
  }
  return response;
}

// Too many requests are under way.
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

// Called with the head, then with each piece of the body, then at its end.
static enum MHD_Result answer(void* unused, struct MHD_Connection* connection, const char* target, const char* method,
                              const char* version, const char* body, size_t* body_size, void** known) {
  (void)unused, (void)target, (void)version;
  Exchange* const exchange = *known;
  if (!exchange || !exchange->target) return MHD_NO;
  if (!exchange->request) {
    begin_request(exchange, connection, method);
    if (!exchange->request) return refuse(connection);
    if (exchange->state == PORTAIL_WANTS_BODY && is_too_long(connection)) {
      // Refused for its size, whatever it says, and before it was sent.
      static const char anything[LONGEST_BODY + 1];
      exchange->state = portal_give_body(portal, exchange->request, anything, sizeof anything);
    }
    // An answer does not wait for a body that is not wanted: it is sent here, and the connection is closed afterwards.
    const int unwanted = exchange->state != PORTAIL_WANTS_BODY && has_body(connection);
    return unwanted ? send_answer(exchange, connection) : MHD_YES;
  }
  if (*body_size > 0) {
    exchange->state = portal_give_body(portal, exchange->request, body, *body_size);
    *body_size = 0;
    // What follows when the module has had enough is thrown away: libmicrohttpd answers before a body or after it.
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
      MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_THREAD_SAFETY | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, NULL,
                       MHD_OPTION_SOCK_ADDR_LEN, (socklen_t)sizeof address, &address, MHD_OPTION_CONNECTION_TIMEOUT,
                       30U, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(64 * 1024), MHD_OPTION_UNESCAPE_CALLBACK,
                       leave_escapes, NULL, MHD_OPTION_URI_LOG_CALLBACK, begin_exchange, NULL,
                       MHD_OPTION_NOTIFY_COMPLETED, end_exchange, NULL, MHD_OPTION_END);
  if (!daemon) {
    perror(listen);
    return 1;
  }
  printf("Serving HTTP on http://%s:%u/\n", host, MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  while (!stopping) MHD_run_wait(daemon, 1000);
  close(MHD_quiesce_daemon(daemon));  // accepts no more
  const time_t end = seconds() + DRAIN;
  while (under_way > 0 && seconds() <= end) MHD_run_wait(daemon, 1000);
  MHD_stop_daemon(daemon);
  return 0;
}

// Until it is told to stop. The process's exit status.
static int run(const char* listen, const char* folder) {
  static FolderStore store;
  if (!store_open(&store, folder)) {
    perror(folder);
    return 1;
  }
  // Every trap of the module comes back here: the instance is then of no use any more.
  const wasm_rt_trap_t trap = (wasm_rt_trap_t)wasm_rt_impl_try();
  if (trap) {
    fprintf(stderr, "the module ended: %s\n", wasm_rt_strerror(trap));
    return 1;
  }
  Bytes given = settings(environ);
  portal = portal_create(&store, &given);
  free(given.bytes);
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
