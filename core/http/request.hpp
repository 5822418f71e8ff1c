// A request as the core reads it: head, body, and its identifier in logs. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"

namespace portail {

// A source of bytes that the consumer pulls chunk by chunk: a request's body, or an answer too long for memory. One
// thread at a time.

class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  // Returns the next chunk, never empty, valid until the next call; nullopt at the end, and for each later call. A
  // failure ends the source: the body is incomplete, and the host must abort the connection.
  virtual Task<std::optional<std::string_view>> next(Context& context) = 0;
  // Returns the approximate bytes of memory that the source keeps between two chunks.
  [[nodiscard]] virtual std::size_t occupied() const { return 0; }
};

// A request from a host to the core: plain values and views. The host owns the bytes and must keep them until the
// request's Task has ended. The host decodes, folds and defaults nothing.

struct HeaderView {
  std::string_view name;   // as received, any case
  std::string_view value;  // without surrounding white space
};

// Whether the scheme of a request is https: a value, or a function of the host that is called only if the core needs
// the result, since each query costs a component a call.
class SchemeIsHttps {
 public:
  constexpr SchemeIsHttps(bool value) : value_(value) {}
  // `query(host)` returns the result; `host` must live as long as the request.
  constexpr SchemeIsHttps(bool (*query)(const void* host), const void* host) : query_(query), host_(host) {}

  constexpr operator bool() const { return query_ ? query_(host_) : value_; }

 private:
  bool value_ = false;
  bool (*query_)(const void* host) = nullptr;
  const void* host_ = nullptr;
};

struct Request {
  std::string_view method;              // case-sensitive (RFC 9110 section 9.1)
  std::string_view target;              // as received, still percent-encoded (RFC 9112 section 3.2)
  std::span<const HeaderView> headers;  // in order, repeated ones repeated
  // True if the host, or a front end that it trusts, terminated TLS for this request.
  SchemeIsHttps scheme_is_https = false;
  // True if X-Forwarded-Proto and Forwarded come from a peer that the operator trusts.
  bool forwarding_trusted = false;
  // True while the host shuts down: the readiness probe reports it, and all other requests are answered as usual.
  bool draining = false;
  // Null: no body. Read at most once, and only by endpoints with a body.
  ChunkSource* body = nullptr;
};

// Returns the first header of that name, without regard to ASCII case.
std::optional<std::string_view> find_header(const Request& request, std::string_view name);
// Returns the number of headers of that name.
std::size_t count_headers(const Request& request, std::string_view name);

// Reads the body of a request into memory. Belongs to one request.

// Returns whether Content-Length is over `max_size` bytes. The first read of the body would ask a client that sent
// `Expect: 100-continue` for all of it.
bool announces_more_than(std::uint64_t max_size, const Request& request);

// Returns the complete body, or nullopt if it exceeds `max_size` bytes. Fails as the request's body does.
Task<std::optional<std::string>> read_body(Context& context, const Request& request, std::size_t max_size);

// The identifier of a request in logs (docs/reference/contract.md, "Answers: always").

// Returns 32 random hexadecimal digits.
std::string new_correlation_id(RandomSource& random);

// Returns the request's X-Correlation-Id if it is 1 to 128 characters of [A-Za-z0-9._-], else a new one.
std::string correlation_id_of(const Request& request, RandomSource& random);

}  // namespace portail
