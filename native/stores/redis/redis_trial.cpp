#include "native/stores/redis/redis_trial.hpp"

#include <expected>
#include <optional>
#include <string>

#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_primary.hpp"
#include "native/stores/redis/redis_protocol.hpp"

namespace portail::redis {
namespace {

// Returns write commands that change nothing: SET with XX changes existing keys only.
Request trial_request() {
  constexpr auto key = "portail:trial";  // not a key of the portal
  Request request{"MULTI"};
  request.add({"SET", key, "", "XX"});
  request.add({"DEL", key});
  request.add({"EXEC"});
  request.add({"EVAL", "return 1", "1", key});
  return request;
}

}  // namespace

std::expected<void, Fault> try_to_write(const Url& url) {
  const engine::Deadline deadline = engine::default_deadline();
  auto connection = connect_to_primary(url, deadline);
  if (!connection) return std::unexpected(connection.error());
  // A replica may be configured as writable, but its primary overwrites such writes. Not every user may execute ROLE.
  if (const auto role = connection->execute({"ROLE"}, deadline); role) {
    const auto parts = elements_of(*role->front());
    if (!parts.empty() && text_of(*parts[0]) != "master") {
      return std::unexpected(Fault{.message = "it reports that it is a replica", .is_replica = true});
    }
  } else if (role.error().connection_lost) {
    return std::unexpected(role.error());
  }
  if (const auto written = connection->execute(trial_request(), deadline); !written)
    return std::unexpected(written.error());
  if (url.replicas == 0) return {};
  const std::string required = std::to_string(url.replicas);
  const auto waited = connection->execute({"WAIT", required, "1000"}, deadline);
  if (!waited) return std::unexpected(waited.error());
  const long long connected = waited->front()->integer;
  if (connected >= url.replicas) return {};
  return std::unexpected(Fault{.message = "of " + required + " replicas that a write waits for, " +
                                          std::to_string(connected) + " are connected"});
}

}  // namespace portail::redis
