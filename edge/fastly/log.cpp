// The log of an instance: a line is a message to the service's endpoint "portail".
#include <memory>
#include <optional>
#include <string_view>

#include "edge/fastly/abi.hpp"
#include "edge/host/system.hpp"

namespace portail::edge {
namespace {

// Errors are ignored: there is no other output to report them on.
void send(std::string_view text) {
  constexpr std::string_view name = "portail";
  fastly::Handle endpoint = 0;
  std::size_t written = 0;
  if (fastly::fastly_log_open(name.data(), name.size(), &endpoint) != fastly::Status::ok) return;
  fastly::fastly_log_write(endpoint, text.data(), text.size(), &written);
}

class EndpointLog final : public LineLog {
 public:
  using LineLog::LineLog;

 private:
  void write(std::string_view line) override {
    line.remove_suffix(1);  // endpoints end messages themselves
    send(line);
  }
};

}  // namespace

std::unique_ptr<Log> make_log(const Clock& clock) { return std::make_unique<EndpointLog>(clock); }

void write_abort_message(std::string_view text) { send(text); }

}  // namespace portail::edge
