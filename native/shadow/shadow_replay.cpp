#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "native/portal_client/management_client.hpp"
#include "native/shadow/recorded_request.hpp"
#include "native/shadow/shadow_options.hpp"

namespace portail {
namespace {

using shadow::Side;

// Sends each request to both services, in order.
class Replay {
 public:
  Replay(const Url& portal, const ShadowPlan& plan, std::string token)
      : portal_(portal, plan.service),
        upstream_(plan.upstream, plan.service),
        token_(std::move(token)),
        report_(plan.report) {}

  void replay_line(std::string_view line) {
    const auto request = shadow::parse_request_line(line);
    if (!request) return report_.skip(request.error());
    auto compared = shadow::compared_request(request->method, request->target);
    if (!compared) {
      const bool is_read = request->method == "GET" || request->method == "HEAD";
      return report_.skip(is_read ? shadow::Skip::path : shadow::Skip::method);
    }
    if (request->has_token) compared->token = token_;
    const auto headers = headers_of(*request);
    const auto portal = portal_.send(compared->method, request->target, headers);
    if (!portal) return report_.fail(Side::portal, portal.error());
    const auto upstream = upstream_.send(compared->method, request->target, headers);
    if (!upstream) return report_.fail(Side::upstream, upstream.error());
    try {
      report_.add(*compared, shadow::compare_answers(*compared, portal->answer, upstream->answer),
                  {.portal = portal->time, .upstream = upstream->time});
    } catch (const std::bad_alloc& error) {
      report_.fail(error);
    }
  }

  [[nodiscard]] const shadow::Report& report() const { return report_; }

 private:
  [[nodiscard]] ServiceClient::Headers headers_of(const shadow::RecordedRequest& request) const {
    ServiceClient::Headers headers;
    if (request.has_token) headers.emplace_back("Authorization", "Bearer " + token_);
    headers.emplace_back("Accept-Language", request.accept_language.empty() ? "en" : request.accept_language);
    return headers;
  }

  ServiceClient portal_;
  ServiceClient upstream_;
  std::string token_;
  shadow::Report report_;
};

// Returns the current size of a regular file; for others, such as pipes, no limit.
std::uintmax_t size_of(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::numeric_limits<std::uintmax_t>::max();
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? std::numeric_limits<std::uintmax_t>::max() : size;
}

// Replays the lines that begin within the first `size` bytes: the log of the portal grows with each replayed request.
void replay_lines(std::istream& lines, std::uintmax_t size, Replay& replay) {
  std::uintmax_t read = 0;
  for (std::string line; read < size && std::getline(lines, line); read += line.size() + 1) replay.replay_line(line);
}

}  // namespace

std::expected<void, Fault> replay_requests(const ShadowArguments& arguments, const ShadowPlan& plan) {
  const auto portal = parse_service_url(arguments.to, "--to");
  if (!portal) return std::unexpected(portal.error());
  auto token = read_bearer_token(arguments.token_file);
  if (!token) return std::unexpected(token.error());
  std::ifstream file;
  const bool is_standard_input = arguments.replay == "-";
  if (!is_standard_input) {
    file.open(arguments.replay);
    const int error = std::filesystem::is_directory(arguments.replay) ? EISDIR : file ? 0 : errno;
    if (error != 0) return failure("cannot read --replay " + arguments.replay + ": " + std::strerror(error));
  }
  Replay replay(*portal, plan, std::move(*token));
  replay_lines(is_standard_input ? std::cin : file, size_of(arguments.replay), replay);
  return print_shadow_report(replay.report(), arguments.json);
}

}  // namespace portail
