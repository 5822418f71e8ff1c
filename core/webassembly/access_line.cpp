#include "core/webassembly/access_line.hpp"

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/crypto/random_key.hpp"
#include "core/http/request.hpp"

namespace portail {

std::string log_key_or_random(std::string configured, RandomSource& random) {
  if (!configured.empty()) return configured;
  return lower_hex(random_key(random));
}

void record_access(Log& log, const Request& request, const Response& response, const std::string& log_key) {
  const RequestSummary& summary = response.summary;
  if (!needs_access_line(summary, response.status, false)) return;
  const std::string subject = summary.subject.empty() ? std::string() : pseudonym_of(summary.subject, log_key);
  std::string members;
  append_access_line(members, {request.method, summary, response.status, subject});
  log.record(members);
}

}  // namespace portail
