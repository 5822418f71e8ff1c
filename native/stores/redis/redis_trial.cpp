#include "native/stores/redis/redis_trial.hpp"

#include <expected>
#include <optional>
#include <string>

#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_primary.hpp"
#include "native/stores/redis/redis_protocol.hpp"

namespace portail {
namespace {

// Commands that write, of which none finds anything to do: XX sets what is there already.
RedisRequest trial() {
  constexpr auto key = "portail:trial";  // no key of the portal
  RedisRequest request{"MULTI"};
  request.add({"SET", key, "", "XX"});
  request.add({"DEL", key});
  request.add({"EXEC"});
  request.add({"EVAL", "return 1", "1", key});
  return request;
}

}  // namespace

std::expected<void, RedisFault> try_to_write(const RedisUrl& url) {
  const EngineDeadline deadline = usual_deadline();
  auto connection = connect_to_primary(url, deadline);
  if (!connection) return std::unexpected(connection.error());
  // A replica may be set to take writes, which its primary then takes away. Not every user may ask.
  if (const auto role = connection->ask({"ROLE"}, deadline); role) {
    const auto parts = elements_of(*role->front());
    if (!parts.empty() && text_of(*parts[0]) != "master") {
      return std::unexpected(RedisFault{.text = "it says that it is a replica", .is_replica = true});
    }
  } else if (role.error().lost) {
    return std::unexpected(role.error());
  }
  if (const auto written = connection->ask(trial(), deadline); !written) return std::unexpected(written.error());
  if (url.replicas == 0) return {};
  const std::string wanted = std::to_string(url.replicas);
  const auto waited = connection->ask({"WAIT", wanted, "1000"}, deadline);
  if (!waited) return std::unexpected(waited.error());
  const long long connected = waited->front()->integer;
  if (connected >= url.replicas) return {};
  return std::unexpected(RedisFault{.text = "of " + wanted + " replicas that a write waits for, " +
                                            std::to_string(connected) + " are connected"});
}

}  // namespace portail
