// What a Redis server answers, or what stands in its place. However the bytes arrive in pieces, they are the same
// replies; and no line for the log repeats what the server said.
#include <algorithm>
#include <span>
#include <string>

#include "native/stores/redis/redis_protocol.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

void check_fault(const RedisFault& fault) {
  check(fault.text.size() < 120, "a fault is short");
  check(std::ranges::all_of(fault.text, [](char c) { return c >= ' ' && c <= '~'; }), "a fault is one line of text");
  const std::size_t open = fault.text.rfind('(');
  if (open == std::string::npos) return;
  const std::string_view code = std::string_view(fault.text).substr(open + 1, fault.text.size() - open - 2);
  check(
      code.size() <= 20 && (code == "error" || std::ranges::all_of(code, [](char c) { return c >= 'A' && c <= 'Z'; })),
      "of an error only its code is told");
}

void write(const redisReply& reply, std::string& transcript) {
  transcript += std::to_string(reply.type) + ' ';
  if (const auto text = text_of(reply)) transcript += *text;
  if (reply.type == REDIS_REPLY_INTEGER) transcript += std::to_string(reply.integer);
  if (const auto refusal = refusal_in(reply)) {
    check_fault(*refusal);
    transcript += refusal->text;
  }
  for (const redisReply* element : elements_of(reply)) {
    check(element != nullptr, "an array that is whole has all its elements");
    write(*element, transcript);
  }
  transcript += '\n';
}

std::string transcript_of(std::string_view input, std::size_t piece) {
  RedisReplyReader reader;
  std::string transcript;
  while (!input.empty()) {
    const std::string_view now = input.substr(0, piece);
    input.remove_prefix(now.size());
    reader.feed(std::span(now.data(), now.size()));
    while (true) {
      auto reply = reader.next();
      if (!reply) {
        check_fault(reply.error());
        return transcript + "no protocol";
      }
      if (!*reply) break;
      write(**reply, transcript);
    }
  }
  return transcript;
}

}  // namespace

void look_at(std::string_view input) {
  const std::string whole = transcript_of(input, input.size() + 1);
  check(transcript_of(input, 1) == whole, "single bytes are the same replies");
  check(transcript_of(input, 2 + input.size() % 61) == whole, "pieces are the same replies");
}
