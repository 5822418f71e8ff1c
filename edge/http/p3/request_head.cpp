#include "edge/http/p3/request_head.hpp"

#include "edge/http/messages.hpp"

namespace portail::edge {
namespace {

bool is_https(wasi_http_borrow_request_t request) {
  wasi_http_scheme_t scheme{};
  if (!wasi_http_method_request_get_scheme(request, &scheme)) return false;
  const bool https = scheme.tag == WASI_HTTP_SCHEME_HTTPS;
  wasi_http_scheme_free(&scheme);
  return https;
}

}  // namespace

RequestHead::RequestHead(const IncomingRequest& request) {
  const wasi_http_borrow_request_t borrowed = wasi_http_borrow_request(request.get());
  wasi_http_method_request_get_method(borrowed, &method_);
  // Without a target there is nothing to free.
  if (!wasi_http_method_request_get_path_with_query(borrowed, &target_)) target_ = {};
  is_https_ = is_https(borrowed);
  const Fields fields(wasi_http_method_request_get_headers(borrowed));
  wasi_http_method_fields_copy_all(wasi_http_borrow_fields(fields.get()), &fields_);
  headers_ = views_of_headers(fields_);
}

RequestHead::~RequestHead() {
  wasi_http_method_free(&method_);
  http3_string_free(&target_);
  wasi_http_list_tuple2_field_name_field_value_free(&fields_);
}

std::string_view RequestHead::method() const { return view_of_method(method_); }

Request RequestHead::with(ChunkSource& body) const {
  return {.method = method(),
          .target = view_of(target_),
          .headers = headers_,
          .scheme_is_https = is_https_,
          // Nobody but the host's own front reaches a component.
          .forwarding_trusted = true,
          .body = may_have_body(method(), headers_) ? &body : nullptr};
}

}  // namespace portail::edge
