// Heads and bodies as read from a connection. The requests do not depend on the sizes of reads; an accepted head is
// unambiguous; nothing is read after a rejected request.
#include <algorithm>
#include <string>

#include "core/base/text.hpp"
#include "native/http/connection_reader.hpp"
#include "tests/native/support/memory_stream.hpp"
#include "tests/support/test_context.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

void fuzz_head(const RequestHead& head) {
  const auto count = [&head](std::string_view name) {
    return std::ranges::count_if(head.headers,
                                 [name](const HeaderView& h) { return equals_ignoring_case(h.name, name); });
  };
  check(count("Host") == 1 || (count("Host") == 0 && head.minor_version == 0), "one Host");
  check(count("Content-Length") + count("Transfer-Encoding") <= 1, "one length");
  check(head.chunked == (count("Transfer-Encoding") == 1), "chunks where the head says so");
  check(head.content_length.has_value() == (count("Content-Length") == 1), "a length where the head says so");
  check(head.headers.size() <= max_headers, "not too many fields");

  std::string serialized(head.method);
  serialized.append(" ").append(head.target).append(head.minor_version == 0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
  for (const auto& [name, value] : head.headers) serialized.append(name).append(": ").append(value).append("\r\n");
  serialized.append("\r\n");
  check(std::ranges::count(serialized, '\n') == static_cast<std::ptrdiff_t>(head.headers.size()) + 2, "no line hides");
  std::size_t scanned = 0;
  const auto length = find_head_end(serialized, scanned);
  if (!length) return;  // its spaces may exceed the limit
  check(*length == serialized.size(), "a head ends where it ends");
  RequestHead reparsed;
  check(parse_request_head(serialized, reparsed).has_value(), "a head that was read reads again");
  check(reparsed.method == head.method && reparsed.target == head.target && reparsed.chunked == head.chunked &&
            reparsed.content_length == head.content_length && reparsed.keep_alive == head.keep_alive,
        "and means the same");
}

// The server's reading of the connection: each request with its body, and why it ended.
Task<void> read_all(Context& context, AsyncStream& stream, std::string& transcript) {
  ConnectionReader reader(stream);
  RequestHead head;
  const Deadline never = Deadline::max();
  while (true) {
    co_await reader.await_request(context, never);
    const auto read = co_await reader.read_head(context, head);
    if (!read) {
      transcript += "refused " + std::to_string(static_cast<int>(read.error()));
      co_return;
    }
    fuzz_head(head);
    transcript.append(head.method).append(" ").append(head.target).append("\n");
    RequestBody body(head, reader, stream);
    std::size_t size = 0;
    while (const auto chunk = co_await body.next(context)) {
      check(!chunk->empty(), "a chunk is not empty");
      size += chunk->size();
      transcript += *chunk;
    }
    if (!head.chunked) check(size <= head.content_length.value_or(0), "no more than was said");
    transcript += '\n';
    if (!head.keep_alive || !body.can_be_skipped()) co_return;
    if (!co_await body.skip_rest(context)) co_return;
  }
}

std::string transcript_of(std::string_view input, std::size_t piece) {
  TestContext test;
  MemoryStream bytes(input, piece);
  ConnectionSuspension suspension;
  AsyncStream stream(bytes, suspension);
  std::string transcript;
  const auto done = run_ready(read_all(test.context, stream, transcript));
  if (!done) transcript += "ended";
  return transcript;
}

}  // namespace

void fuzz(std::string_view input) {
  const std::string whole = transcript_of(input, input.size() + 1);
  check(transcript_of(input, 1) == whole, "single bytes are the same requests");
  check(transcript_of(input, 2 + input.size() % 61) == whole, "pieces are the same requests");
}
