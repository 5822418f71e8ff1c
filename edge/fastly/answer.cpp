#include "edge/fastly/answer.hpp"

#include <cstdlib>

namespace portail::fastly {

Task<bool> OutgoingAnswer::begin(Context&, const Response& response, bool has_body) {
  Handle created = 0;
  body_ = new_body("");
  if (!body_ || fastly_response_new(&created) != Status::ok) co_return false;
  response_ = created;
  if (set_head(response, has_body)) co_return true;
  response_.reset();
  co_return false;
}

bool OutgoingAnswer::set_head(const Response& response, bool has_body) {
  if (fastly_response_set_status(*response_, static_cast<std::uint32_t>(response.status)) != Status::ok) return false;
  for (const HeaderField& field : response.headers) {
    if (fastly_response_append(*response_, field.name.data(), field.name.size(), field.value.data(),
                               field.value.size()) != Status::ok) {
      return false;
    }
  }
  // The host writes the length of the body. After HEAD that is empty.
  if (has_body || !find_header(response, "Content-Length")) return true;
  return fastly_response_set_framing(*response_, framing_by_headers) == Status::ok;
}

void OutgoingAnswer::send(bool is_streamed) {
  if (is_sent_) return;
  is_sent_ = true;
  const Handle body = is_streamed ? body_.get() : body_.release();
  if (!response_ || fastly_response_send(*response_, body, is_streamed ? 1 : 0) != Status::ok) std::abort();
}

Task<bool> OutgoingAnswer::write(Context&, std::string_view piece) {
  if (has_piece_) send(true);
  has_piece_ = true;
  co_return write_all(body_, piece);
}

void OutgoingAnswer::end() {
  send(false);
  body_.reset();
}

void OutgoingAnswer::abort() {
  send(true);
  fastly_body_abandon(body_.release());
}

}  // namespace portail::fastly
