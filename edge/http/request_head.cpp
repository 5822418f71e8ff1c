#include "edge/http/request_head.hpp"

namespace portail::edge {

bool may_have_body(std::string_view method, const std::vector<HeaderView>& headers) {
  for (const HeaderView& header : headers) {
    if (equals_ignoring_case(header.name, "Content-Length")) return header.value != "0";
  }
  return method != "GET" && method != "HEAD";
}

}  // namespace portail::edge
