#include "tests/contract/support/request.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include <picojson.h>

namespace portail::contract {
namespace {

// One connection for each host; the suite is single-threaded.
std::map<std::string, std::unique_ptr<Connection>>& connections_by_host() {
  static std::map<std::string, std::unique_ptr<Connection>> connections;
  return connections;
}

std::string hexadecimal(std::size_t number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[number % 16]);
    number /= 16;
  } while (number != 0);
  return digits;
}

// Appends one line to the file of PORTAIL_CONTRACT_RECORD, if it is set, for the comparison with the API's description
// (tests/description/check_exchanges.py): a JSON object with the method, the target, the status, the headers, and a
// JSON body unchanged. Throws std::runtime_error if the file cannot be written.
void record(std::string_view method, std::string_view target, const Reply& reply) {
  const auto& name = environment().record_file;
  if (!name) return;
  picojson::array headers;
  for (const Header& each : reply.headers) {
    headers.emplace_back(picojson::array{picojson::value(each.name), picojson::value(each.value)});
  }
  picojson::object line{{"method", picojson::value(std::string(method))},
                        {"target", picojson::value(std::string(target))},
                        {"status", picojson::value(static_cast<double>(reply.status))},
                        {"headers", picojson::value(headers)}};
  if (reply.header("Content-Type").starts_with("application/json") && !reply.has("Content-Encoding")) {
    line["body"] = picojson::value(reply.body);
  }
  std::ofstream file(*name, std::ios::app);
  file << picojson::value(line).serialize() << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + *name);
}

}  // namespace

Request::Request(std::string_view method, std::string_view target) : method_(method), target_(target) {}

Request& Request::header(std::string_view name, std::string_view value) {
  headers_.push_back({std::string(name), std::string(value)});
  return *this;
}

Request& Request::without(std::string_view name) {
  left_out_.emplace_back(name);
  return *this;
}

Request& Request::body(std::string_view bytes, std::string_view content_type) {
  body_ = bytes;
  has_body_ = true;
  return header("Content-Type", content_type);
}

Request& Request::chunked(std::string_view bytes, std::string_view content_type) {
  chunked_ = true;
  return body(bytes, content_type);
}

bool Request::has(std::string_view name) const {
  const auto same = [name](const std::string& other) { return equal_ignoring_case(other, name); };
  return std::ranges::any_of(left_out_, same) || std::ranges::any_of(headers_, same, &Header::name);
}

std::string Request::bytes(const BaseUrl& url) const {
  std::string wire = method_ + " " + url.prefix + target_ + " HTTP/1.1\r\n";
  if (!has("Host")) wire += "Host: " + url.authority() + "\r\n";
  for (const Header& each : headers_)
    if (std::ranges::find(left_out_, each.name) == left_out_.end()) wire += each.name + ": " + each.value + "\r\n";
  if (chunked_) {
    wire += "Transfer-Encoding: chunked\r\n\r\n";
    if (!body_.empty()) wire += hexadecimal(body_.size()) + "\r\n" + body_ + "\r\n";
    return wire + "0\r\n\r\n";
  }
  if (has_body_ && !has("Content-Length")) wire += "Content-Length: " + std::to_string(body_.size()) + "\r\n";
  return wire + "\r\n" + body_;
}

Reply Request::send(const BaseUrl& url) const {
  auto& connection = connections_by_host()[(url.tls ? "https://" : "http://") + url.authority()];
  if (connection && connection->stale()) connection.reset();
  if (!connection) connection = std::make_unique<Connection>(url);
  try {
    connection->send(bytes(url));
    Reply reply = connection->receive(method_ == "HEAD");
    if (equal_ignoring_case(reply.header("Connection"), "close")) connection.reset();
    record(method_, target_, reply);
    return reply;
  } catch (...) {
    connection.reset();
    throw;
  }
}

Request get(std::string_view target) { return {"GET", target}; }
Request head(std::string_view target) { return {"HEAD", target}; }
Request put(std::string_view target, std::string_view json) { return Request("PUT", target).body(json); }

}  // namespace portail::contract
