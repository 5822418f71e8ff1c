#include "wasm/module/heads.hpp"

#include "core/base/text.hpp"
#include "guest/answer_framing.hpp"
#include "wasm/module/encoding.hpp"

namespace portail::wasm {

std::optional<RequestHead> RequestHead::parse(Buffer bytes) {
  RequestHead head(std::move(bytes));
  Decoder decoder(head.bytes_.view());
  head.flags_ = decoder.number();
  head.method_ = decoder.text();
  head.target_ = decoder.text();
  for (std::uint32_t left = decoder.number(); left > 0 && !decoder.faulty(); --left) {
    const std::string_view name = decoder.text();
    head.headers_.push_back({.name = name, .value = trimmed(decoder.text())});
  }
  if (!decoder.complete()) return std::nullopt;
  return head;
}

Request RequestHead::with(ChunkSource& body) const {
  return {.method = method_,
          .target = target_,
          .headers = headers_,
          .scheme_is_https = (flags_ & PORTAIL_HTTPS) != 0,
          .forwarding_trusted = (flags_ & PORTAIL_FORWARDING_TRUSTED) != 0,
          .draining = (flags_ & PORTAIL_DRAINING) != 0,
          .body = (flags_ & PORTAIL_HAS_BODY) != 0 ? &body : nullptr};
}

std::string encode_answer_head(const Response& response) {
  std::string headers;
  std::uint32_t count = 0;
  for_each_header(response, [&](std::string_view name, std::string_view value) {
    append_text(headers, name);
    append_text(headers, value);
    ++count;
  });
  std::string head;
  append_number(head, static_cast<std::uint32_t>(response.status));
  append_number(head, response.close ? PORTAIL_CLOSE : 0);
  append_number(head, count);
  return head + headers;
}

}  // namespace portail::wasm
