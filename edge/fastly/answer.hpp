// Sends the answer of an instance. An answer in one piece is passed to the host whole, which frames it; a longer one is
// streamed. An answer that ends before it is complete aborts the connection, so the client detects the missing bytes.
// If the host refuses an answer, the instance aborts: the host answers 500. One thread.
#pragma once

#include <optional>

#include "core/webassembly/serve_request.hpp"
#include "edge/fastly/body.hpp"

namespace portail::fastly {

class OutgoingAnswer final : public AnswerWriter {
 public:
  Task<bool> begin(Context& context, const Response& response, bool has_body) override;
  Task<bool> write(Context& context, std::string_view piece) override;
  void end() override;
  void abort() override;

 private:
  // Returns false if the host fails.
  bool set_head(const Response& response, bool has_body);
  // Passes the response to the host, if it was not passed before.
  void send(bool is_streamed);

  std::optional<Handle> response_;
  HostBody body_;
  bool has_piece_ = false;
  bool is_sent_ = false;
};

}  // namespace portail::fastly
