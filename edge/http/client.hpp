// The instance's HTTP client, by which a portal fetches its keys. Defined by the adapters (edge/http/p2, edge/http/p3,
// edge/fastly).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/webassembly/http_client.hpp"

namespace portail::edge {

// The headers of each request.
inline constexpr std::array<std::array<std::string_view, 2>, 2> headers_of_fetches{
    {{"Accept", "application/json"}, {"Accept-Encoding", "identity"}}};

// Returns the client of this instance. Never destroyed.
HttpClient& http_client();

// For components: returns the text of an error code of wasi:http, which has the same cases in 0.2 and 0.3, in the same
// order.
[[nodiscard]] std::string_view error_text(std::uint8_t code);

}  // namespace portail::edge
