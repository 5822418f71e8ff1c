#include "wasm/module/heads.hpp"

#include "core/base/text.hpp"
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
  std::string head;
  append_number(head, static_cast<std::uint32_t>(response.status));
  append_number(head, response.close ? PORTAIL_CLOSE : 0);
  append_number(head, static_cast<std::uint32_t>(response.headers.size()));
  for (const HeaderField& field : response.headers) {
    append_text(head, field.name);
    append_text(head, field.value);
  }
  return head;
}

}  // namespace portail::wasm
