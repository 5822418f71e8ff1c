#include "wasm/module/host_client.hpp"

#include <algorithm>
#include <string>

#include "wasm/abi/portail.h"
#include "wasm/module/encoding.hpp"

namespace portail::wasm {
namespace {

std::uint32_t milliseconds(std::int64_t microseconds) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(microseconds / 1000, 1, 600'000));
}

}  // namespace

Task<HttpResult> HostClient::get(Context&, const Url& url, std::size_t max_size, std::int64_t timeout) {
  std::string text = url.is_https ? "https://" : "http://";
  text.append(url.authority).append(url.target);
  Operation operation;
  if (!operation.completed()) {
    portail_fetch(store_, operation.number(), bytes_of(text), size_of(text), static_cast<std::uint32_t>(max_size + 1),
                  milliseconds(timeout));
  }
  const OperationResult result = co_await co_await operation;
  const std::string_view bytes = result.values.view();
  Decoder decoder(bytes);
  const std::uint32_t status = decoder.number();
  if (decoder.faulty()) co_return HttpResult(std::unexpected("the host does not fetch"));
  const std::string_view rest = bytes.substr(sizeof status);
  if (status == 0) co_return HttpResult(std::unexpected(std::string(rest)));
  co_return HttpResult(HttpAnswer{.status = static_cast<int>(status), .body = std::string(rest)});
}

Task<void> HostClient::pause(Context&, std::int64_t microseconds) {
  Operation operation;
  if (!operation.completed()) portail_pause(operation.number(), milliseconds(microseconds));
  co_await co_await operation;
}

void HostClient::start(Task<void>& task) {
  background_.run([&task] { task.start([](void*) {}, nullptr); });
}

}  // namespace portail::wasm
