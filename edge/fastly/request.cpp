#include "edge/fastly/request.hpp"

#include <utility>

#include "core/base/text.hpp"
#include "edge/fastly/buffers.hpp"
#include "edge/http/request_head.hpp"

namespace portail::fastly {
namespace {

// Calls visit(begin, size) for each text in `bytes` from `begin` on that has a zero byte after it.
template <class Visit>
void split(const std::string& bytes, std::size_t begin, Visit visit) {
  for (std::size_t end; (end = bytes.find('\0', begin)) != std::string::npos; begin = end + 1)
    visit(begin, end - begin);
}

// Returns the path and query of an absolute URL; "*" for the server as a whole.
std::string_view target_of(std::string_view url) {
  const std::size_t authority = url.find("://");
  if (authority != std::string_view::npos) url.remove_prefix(authority + 3);
  url.remove_prefix(std::min(url.find_first_of("/?*"), url.size()));
  return url;
}

}  // namespace

std::optional<RequestHead> RequestHead::read(Handle request) {
  RequestHead head;
  auto method = read_text([&](char* buffer, std::size_t size, std::size_t* written) {
    return fastly_request_method(request, buffer, size, written);
  });
  auto url = read_text([&](char* buffer, std::size_t size, std::size_t* written) {
    return fastly_request_uri(request, buffer, size, written);
  });
  std::string names;
  const bool listed = append_values(
      names, [&](char* buffer, std::size_t size, std::uint32_t cursor, std::int64_t* next, std::size_t* written) {
        return fastly_request_names(request, buffer, size, cursor, next, written);
      });
  if (!method || !url || !listed) return std::nullopt;
  head.method_ = std::move(*method);
  head.url_ = std::move(*url);
  bool complete = true;
  split(names, 0, [&](std::size_t begin, std::size_t size) {
    const std::size_t name = head.fields_.size();
    head.fields_.append(names, begin, size);
    const std::size_t values = head.fields_.size();
    complete &= append_values(head.fields_, [&](char* buffer, std::size_t room, std::uint32_t cursor,
                                                std::int64_t* next, std::size_t* written) {
      return fastly_request_values(request, names.data() + begin, size, buffer, room, cursor, next, written);
    });
    split(head.fields_, values, [&](std::size_t value, std::size_t value_size) {
      head.entries_.push_back({.name = name, .name_size = size, .value = value, .value_size = value_size});
    });
  });
  if (!complete) return std::nullopt;
  return head;
}

Request RequestHead::with(ChunkSource& body) {
  const std::string_view fields = fields_;
  headers_.clear();
  for (const Field& field : entries_) {
    headers_.push_back({.name = fields.substr(field.name, field.name_size),
                        .value = trimmed(fields.substr(field.value, field.value_size))});
  }
  return {.method = method_,
          .target = target_of(url_),
          .headers = headers_,
          .scheme_is_https = url_.starts_with("https:"),
          // The platform has no clients without TLS, so a false X-Forwarded-Proto changes nothing.
          .forwarding_trusted = true,
          .body = edge::may_have_body(method_, headers_) ? &body : nullptr};
}

Task<std::optional<std::string_view>> RequestBody::next(Context&) {
  if (ended_) co_return std::nullopt;
  const auto size = read_some(body_, chunk_, &timeout_);
  ended_ = !size || *size == 0;
  if (!size) co_await std::unexpected(size.error());
  if (ended_) co_return std::nullopt;
  co_return std::string_view(chunk_.data(), *size);
}

}  // namespace portail::fastly
