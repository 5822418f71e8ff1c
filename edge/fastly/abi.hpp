// The functions of Fastly Compute that the portal calls, as the platform's WITX declares them ("compute-at-edge-abi").
// Each returns a status; what it yields goes through the pointers at the end. Handles are numbers of the instance. Text
// and bytes are a pointer and a length, and belong to the caller. The calls block. One thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portail::fastly {

enum class Status : std::uint32_t {
  ok = 0,
  invalid_argument = 2,
  bad_handle = 3,
  buffer_too_small = 4,  // the needed size is written
  none = 10,             // the value is absent
};

using Handle = std::uint32_t;

// The outcome of a call to the key-value store.
enum class StoreError : std::uint32_t {
  unset,
  ok,
  bad_request,
  not_found,
  precondition_failed,
  payload_too_large,
  internal_error,
  too_many_requests,
};

enum class InsertMode : std::uint32_t { overwrite, add };

// The members that count, beside the mode, are those whose bits are set.
inline constexpr std::uint32_t has_generation = 1U << 5U;
struct InsertOptions {
  InsertMode mode = InsertMode::overwrite;
  std::uint32_t unused = 0;
  const char* metadata = nullptr;
  std::uint32_t metadata_size = 0;
  std::uint32_t seconds_to_live = 0;
  std::uint64_t generation = 0;  // that the stored value must have
};
static_assert(sizeof(InsertOptions) == 32 && offsetof(InsertOptions, generation) == 24);

inline constexpr std::uint32_t has_cursor = 1U << 1U;
inline constexpr std::uint32_t has_prefix = 1U << 3U;
struct ListOptions {
  std::uint32_t mode = 0;  // strong
  const char* cursor = nullptr;
  std::uint32_t cursor_size = 0;
  std::uint32_t limit = 0;
  const char* prefix = nullptr;
  std::uint32_t prefix_size = 0;
};
static_assert(sizeof(ListOptions) == 24);

// Why a request to a backend failed. The host reads and writes the members whose bits are in the mask.
struct SendError {
  std::uint32_t tag = 0;
  std::uint32_t mask = 0;
  std::uint16_t dns_error = 0;
  std::uint16_t dns_info = 0;
  std::uint8_t tls_alert = 0;
  std::uint8_t h2_frame = 0;
  std::uint32_t h2_error = 0;
};
static_assert(sizeof(SendError) == 20);

inline constexpr std::uint32_t back_of_body = 0;         // where bytes are written
inline constexpr std::uint32_t framing_by_headers = 1;   // Content-Length of the answer is the one that was appended
inline constexpr std::uint32_t none_ready = UINT32_MAX;  // of select: the timeout has ended

extern "C" {

[[clang::import_module("fastly_abi"), clang::import_name("init")]] Status fastly_init(std::uint64_t version);

// Requests.

[[clang::import_module("fastly_http_req"), clang::import_name("body_downstream_get")]] Status fastly_request_get(
    Handle* request, Handle* body);
[[clang::import_module("fastly_http_req"), clang::import_name("method_get")]] Status fastly_request_method(
    Handle request, char* buffer, std::size_t size, std::size_t* written);
[[clang::import_module("fastly_http_req"), clang::import_name("uri_get")]] Status fastly_request_uri(
    Handle request, char* buffer, std::size_t size, std::size_t* written);
// Both write values that end with a zero byte each, from the cursor on; `next` is the following cursor, or negative.
[[clang::import_module("fastly_http_req"), clang::import_name("header_names_get")]] Status fastly_request_names(
    Handle request, char* buffer, std::size_t size, std::uint32_t cursor, std::int64_t* next, std::size_t* written);
[[clang::import_module("fastly_http_req"), clang::import_name("header_values_get")]] Status fastly_request_values(
    Handle request, const char* name, std::size_t name_size, char* buffer, std::size_t size, std::uint32_t cursor,
    std::int64_t* next, std::size_t* written);

// Requests to backends.

[[clang::import_module("fastly_http_req"), clang::import_name("new")]] Status fastly_request_new(Handle* request);
[[clang::import_module("fastly_http_req"), clang::import_name("uri_set")]] Status fastly_request_set_uri(
    Handle request, const char* uri, std::size_t size);
[[clang::import_module("fastly_http_req"), clang::import_name("header_append")]] Status fastly_request_append(
    Handle request, const char* name, std::size_t name_size, const char* value, std::size_t value_size);
// Without the platform's cache. Consumes the request and the body.
[[clang::import_module("fastly_http_req"), clang::import_name("send_async_v2")]] Status fastly_send(
    Handle request, Handle body, const char* backend, std::size_t size, std::uint32_t streaming, Handle* pending);
[[clang::import_module("fastly_http_req"), clang::import_name("pending_req_wait_v2")]] Status fastly_receive(
    Handle pending, SendError* error, Handle* response, Handle* body);
// Waits until one of the bodies or pending requests is ready, or for that many milliseconds.
[[clang::import_module("fastly_async_io"), clang::import_name("select")]] Status fastly_select(const Handle* items,
                                                                                               std::size_t count,
                                                                                               std::uint32_t timeout,
                                                                                               std::uint32_t* ready);

// Bodies.

[[clang::import_module("fastly_http_body"), clang::import_name("new")]] Status fastly_body_new(Handle* body);
// Reads some bytes; none: the body has ended.
[[clang::import_module("fastly_http_body"), clang::import_name("read")]] Status fastly_body_read(Handle body,
                                                                                                 char* buffer,
                                                                                                 std::size_t size,
                                                                                                 std::size_t* read);
[[clang::import_module("fastly_http_body"), clang::import_name("write")]] Status fastly_body_write(
    Handle body, const char* bytes, std::size_t size, std::uint32_t end, std::size_t* written);
[[clang::import_module("fastly_http_body"), clang::import_name("known_length")]] Status fastly_body_length(
    Handle body, std::uint64_t* length);
[[clang::import_module("fastly_http_body"), clang::import_name("close")]] Status fastly_body_close(Handle body);
// Ends an answer's body so that the client can detect that bytes are missing.
[[clang::import_module("fastly_http_body"), clang::import_name("abandon")]] Status fastly_body_abandon(Handle body);

// Responses.

[[clang::import_module("fastly_http_resp"), clang::import_name("new")]] Status fastly_response_new(Handle* response);
[[clang::import_module("fastly_http_resp"), clang::import_name("status_get")]] Status fastly_response_status(
    Handle response, std::uint16_t* status);
[[clang::import_module("fastly_http_resp"), clang::import_name("status_set")]] Status fastly_response_set_status(
    Handle response, std::uint32_t status);
[[clang::import_module("fastly_http_resp"), clang::import_name("header_append")]] Status fastly_response_append(
    Handle response, const char* name, std::size_t name_size, const char* value, std::size_t value_size);
[[clang::import_module("fastly_http_resp"), clang::import_name("framing_headers_mode_set")]] Status
fastly_response_set_framing(Handle response, std::uint32_t mode);
// Consumes the response, and the body unless it is streamed: then later writes follow.
[[clang::import_module("fastly_http_resp"), clang::import_name("send_downstream")]] Status fastly_response_send(
    Handle response, Handle body, std::uint32_t streaming);

// The key-value store. A call begins an operation, whose end another one waits for.

[[clang::import_module("fastly_kv_store"), clang::import_name("open")]] Status fastly_kv_open(const char* name,
                                                                                              std::size_t size,
                                                                                              Handle* store);
[[clang::import_module("fastly_kv_store"), clang::import_name("lookup")]] Status fastly_kv_lookup(
    Handle store, const char* key, std::size_t size, std::uint32_t mask, const std::uint32_t* options, Handle* lookup);
[[clang::import_module("fastly_kv_store"), clang::import_name("lookup_wait_v2")]] Status fastly_kv_lookup_wait(
    Handle lookup, Handle* body, char* metadata, std::size_t metadata_size, std::size_t* metadata_written,
    std::uint64_t* generation, StoreError* error);
[[clang::import_module("fastly_kv_store"), clang::import_name("insert")]] Status fastly_kv_insert(
    Handle store, const char* key, std::size_t size, Handle body, std::uint32_t mask, const InsertOptions* options,
    Handle* insert);
[[clang::import_module("fastly_kv_store"), clang::import_name("insert_wait")]] Status fastly_kv_insert_wait(
    Handle insert, StoreError* error);
[[clang::import_module("fastly_kv_store"), clang::import_name("delete")]] Status fastly_kv_delete(
    Handle store, const char* key, std::size_t size, std::uint32_t mask, const std::uint32_t* options, Handle* removal);
[[clang::import_module("fastly_kv_store"), clang::import_name("delete_wait")]] Status fastly_kv_delete_wait(
    Handle removal, StoreError* error);
[[clang::import_module("fastly_kv_store"), clang::import_name("list")]] Status fastly_kv_list(
    Handle store, std::uint32_t mask, const ListOptions* options, Handle* list);
[[clang::import_module("fastly_kv_store"), clang::import_name("list_wait")]] Status fastly_kv_list_wait(
    Handle list, Handle* body, StoreError* error);

// Settings.

[[clang::import_module("fastly_config_store"), clang::import_name("open")]] Status fastly_config_open(const char* name,
                                                                                                      std::size_t size,
                                                                                                      Handle* store);
[[clang::import_module("fastly_config_store"), clang::import_name("get")]] Status fastly_config_get(
    Handle store, const char* key, std::size_t key_size, char* buffer, std::size_t size, std::size_t* written);
[[clang::import_module("fastly_secret_store"), clang::import_name("open")]] Status fastly_secrets_open(const char* name,
                                                                                                       std::size_t size,
                                                                                                       Handle* store);
[[clang::import_module("fastly_secret_store"), clang::import_name("get")]] Status fastly_secrets_get(Handle store,
                                                                                                     const char* key,
                                                                                                     std::size_t size,
                                                                                                     Handle* secret);
[[clang::import_module("fastly_secret_store"), clang::import_name("plaintext")]] Status fastly_secret_text(
    Handle secret, char* buffer, std::size_t size, std::size_t* written);

// The log.

[[clang::import_module("fastly_log"), clang::import_name("endpoint_get")]] Status fastly_log_open(const char* name,
                                                                                                  std::size_t size,
                                                                                                  Handle* endpoint);
[[clang::import_module("fastly_log"), clang::import_name("write")]] Status fastly_log_write(Handle endpoint,
                                                                                            const char* message,
                                                                                            std::size_t size,
                                                                                            std::size_t* written);

}  // extern "C"

}  // namespace portail::fastly
