#include "tests/contract/support/record.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

#include <picojson.h>

namespace portail::contract {

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

}  // namespace portail::contract
