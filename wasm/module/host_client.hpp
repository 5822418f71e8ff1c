// The HTTP client of the module's host, by the imports fetch and pause.
#pragma once

#include "core/webassembly/http_client.hpp"
#include "wasm/module/operation.hpp"

namespace portail::wasm {

class HostClient final : public HttpClient {
 public:
  // `store` is the host's number of the portal's store.
  explicit HostClient(std::uint32_t store) : store_(store) {}

  Task<HttpResult> get(Context& context, const Url& url, std::size_t max_size, std::int64_t timeout) override;
  Task<void> pause(Context& context, std::int64_t microseconds) override;
  void start(Task<void>& task) override;
  [[nodiscard]] bool is_concurrent() const override { return true; }

 private:
  struct Background final : Work {};

  std::uint32_t store_;
  Background background_;  // that of the last started task
};

}  // namespace portail::wasm
