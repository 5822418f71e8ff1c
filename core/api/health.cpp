#include <string>
#include <string_view>

#include "core/api/answers.hpp"
#include "core/api/endpoints.hpp"
#include "core/http/header_fields.hpp"
#include "core/json/writer.hpp"
#include "core/storage/format.hpp"

namespace portail {
namespace {

std::string_view health_name(bool healthy) { return healthy ? "Healthy" : "Unhealthy"; }

Response health_response(bool healthy, std::string body) {
  Response response;
  response.status = healthy ? 200 : 503;
  response.headers = {{"Content-Type", std::string(json_content_type)}, {"Cache-Control", "no-store"}};
  if (!healthy) response.headers.push_back({"Retry-After", "5"});
  response.body = std::move(body);
  return response;
}

Task<void> check_store(Context& context, KeyValueStore& store) {
  if (!is_readable(co_await read_format(context, store))) co_await std::unexpected(Failure::corrupt);
}

}  // namespace

Task<Response> get_liveness(Context&, const Call&) {
  co_return health_response(true, R"({"status":"Healthy","parts":{}})");
}

Task<Response> get_readiness(Context& context, const Call& call) {
  const bool store = (co_await outcome(check_store(context, call.store))).has_value();
  const bool keys = !has_no_key(call.keys.current());
  const bool healthy = store && keys && !call.request.draining;
  if (!healthy) call.summary.reason = !store ? Reason::store_unavailable : !keys ? Reason::no_keys : Reason::draining;
  std::string body;
  JsonWriter json(body);
  json.begin_object().name("status").string(health_name(healthy)).name("parts").begin_object();
  json.name("store").string(health_name(store)).name("keys").string(health_name(keys));
  if (call.request.draining) json.name("host").string(health_name(false));
  json.end_object().end_object();
  co_return health_response(healthy, std::move(body));
}

}  // namespace portail
