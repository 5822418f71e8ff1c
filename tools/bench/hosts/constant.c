// The constant server in libmicrohttpd, compared with the portal: the same answer to all requests, from one thread.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static enum MHD_Result answer(void* response, struct MHD_Connection* connection, const char* target, const char* method,
                              const char* version, const char* body, size_t* body_size, void** known) {
  (void)target, (void)method, (void)version, (void)body, (void)body_size;
  // An answer at the first call, with the head only, would close the connection.
  if (!*known) {
    *known = response;
    return MHD_YES;
  }
  return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

int main(void) {
  static char body[1 << 20];
  FILE* const body_file = fopen("body", "rb");
  FILE* const headers = fopen("headers", "r");
  if (!body_file || !headers) return 1;
  struct MHD_Response* const response =
      MHD_create_response_from_buffer(fread(body, 1, sizeof body, body_file), body, MHD_RESPMEM_PERSISTENT);
  for (char line[4096]; fgets(line, sizeof line, headers);) {
    line[strcspn(line, "\n")] = 0;
    char* const colon = strstr(line, ": ");
    if (!colon) return 1;
    *colon = 0;
    // libmicrohttpd writes the length itself.
    if (strcasecmp(line, "Content-Length") != 0) MHD_add_response_header(response, line, colon + 2);
  }
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_Daemon* const daemon =
      MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_THREAD_SAFETY, 0, NULL, NULL, answer, response,
                       MHD_OPTION_SOCK_ADDR_LEN, (socklen_t)sizeof address, &address, MHD_OPTION_END);
  if (!daemon) return 1;
  printf("listening on http://127.0.0.1:%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  for (;;) MHD_run_wait(daemon, 1000);
}
