#include "native/stores/redis/redis_trial.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text.hpp"
#include "native/stores/engine/engine_call.hpp"
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

std::expected<void, Fault> try_to_write(Connection& connection, const Url& url) {
  const engine::Deadline deadline = engine::default_deadline();
  // A replica may be configured as writable, but its primary overwrites such writes. Not every user may execute ROLE.
  if (const auto role = connection.execute({"ROLE"}, deadline); role) {
    const auto parts = elements_of(*role->front());
    if (!parts.empty() && text_of(*parts[0]) != "master") {
      return std::unexpected(Fault{.message = "it reports that it is a replica", .is_replica = true});
    }
  } else if (role.error().connection_lost) {
    return std::unexpected(role.error());
  }
  if (const auto written = connection.execute(trial_request(), deadline); !written)
    return std::unexpected(written.error());
  if (url.replicas == 0) return {};
  const std::string required = std::to_string(url.replicas);
  const auto waited = connection.execute({"WAIT", required, "1000"}, deadline);
  if (!waited) return std::unexpected(waited.error());
  const long long connected = waited->front()->integer;
  if (connected >= url.replicas) return {};
  return std::unexpected(Fault{.message = "of " + required + " replicas that a write waits for, " +
                                          std::to_string(connected) +
                                          " are connected; connect the replicas or lower ?replicas="});
}

std::string_view remedy_for(const Fault& fault, const Url& url) {
  struct Remedy {
    std::string_view code;
    std::string_view text;
  };
  constexpr std::array remedies{
      Remedy{"(NOPERM)", "; grant its user the commands that docs/how-to/run-on-redis.md lists, on all keys"},
      Remedy{"(MISCONF)", "; its log has the cause, such as a full disk"},
      Remedy{"(OOM)", "; raise maxmemory"},
      Remedy{"(NOREPLICAS)", "; connect its replicas, or lower min-replicas-to-write"},
  };
  if (fault.is_replica) {
    return url.sentinels.empty() ? "; name its primary, or the sentinels" : "; try again when the failover has ended";
  }
  const auto* const found =
      std::ranges::find_if(remedies, [&fault](const Remedy& each) { return fault.message.ends_with(each.code); });
  return found == remedies.end() ? "" : found->text;
}

std::string unusable(const Url& url, const Fault& fault) {
  return (url.name() + " cannot be used: " + fault.message).append(remedy_for(fault, url));
}

std::optional<std::string> eviction_policy(Connection& connection) {
  const auto replies = connection.execute({"INFO", "memory"}, engine::default_deadline());
  if (!replies && replies.error().message.ends_with("(NOPERM)")) return std::nullopt;
  const std::string_view text = replies ? text_of(*replies->front()).value_or("") : std::string_view();
  const auto value_of = [text](std::string_view field) {
    const std::size_t at = text.find(field);
    const std::string_view line = at == std::string_view::npos ? "" : text.substr(at + field.size());
    return line.substr(0, line.find_first_of("\r\n"));
  };
  const std::string_view policy = value_of("\nmaxmemory_policy:");
  const bool has_limit = value_of("\nmaxmemory:") != "0";
  return has_limit && policy != "noeviction" ? printable(policy) : std::string();
}

}  // namespace portail::redis
