#include "native/keys/key_documents.hpp"

#include <utility>

#include "native/fetch/fetch.hpp"
#include "native/system/small_file.hpp"

namespace portail::keys {
namespace {

bool is_same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && is_same(a.st_mtim, b.st_mtim) &&
         is_same(a.st_ctim, b.st_ctim);
}

}  // namespace

std::expected<std::string, std::string> FileDocument::read(std::stop_token) {
  struct stat current{};
  if (stat(file_.c_str(), &current) != 0) current = {};
  // What is not a regular file, such as a FIFO, can be read once only, and opening it again may wait for its writer.
  if (last_stat_.st_ino != 0 && current.st_ino != 0 && !S_ISREG(current.st_mode)) return text_;
  // stat before read, so that a concurrent write is detected by the next call.
  if (current.st_ino == 0 || !is_same(current, last_stat_)) {
    text_ = read_small_file(file_, setting_);
    last_stat_ = current;
  }
  return text_;
}

std::expected<std::string, std::string> http_get(std::string_view url, Transport transport, const std::string& ca_file,
                                                 std::chrono::steady_clock::time_point deadline, std::stop_token stop) {
  const auto fail = [url](const std::string& reason) {
    return std::unexpected("cannot fetch " + std::string(without_query(url)) + ": " + reason);
  };
  auto parsed_url = parse_key_url(url, transport);
  if (!parsed_url) return fail("it is not an https URL");
  std::string body;
  const auto head = fetch({.url = std::move(*parsed_url),
                           .headers = {{"Accept", "application/json"}},
                           .ca_file = ca_file,
                           .max_size = max_fetched_size,
                           .deadline = deadline,
                           .stop = std::move(stop),
                           .may_end_abruptly = true},
                          [&body](std::string_view bytes) {
                            body.append(bytes);
                            return true;
                          });
  if (!head) return fail(head.error());
  if (head->status != 200) return fail(describe_status(head->status));
  return body;
}

std::expected<std::string, std::string> RemoteDocument::read(std::stop_token stop) {
  const auto deadline = std::chrono::steady_clock::now() + options_.timeout;
  const Transport transport = location_.transport;
  auto document = http_get(location_.url, transport, options_.ca_file, deadline, stop);
  if (!document || !location_.is_discovery) return document;
  const auto keys = jwks_uri_of(*document, issuer_, transport);
  if (!keys) return std::unexpected(location_.url + " cannot be used: " + keys.error());
  return http_get(*keys, transport, options_.ca_file, deadline, std::move(stop));
}

}  // namespace portail::keys
