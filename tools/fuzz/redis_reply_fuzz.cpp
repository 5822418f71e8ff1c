// What a Redis server answers, or what stands in its place. However the bytes arrive in pieces, they are the same
// replies; none exceeds its limits; and no line for the log repeats what the server said.
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "native/stores/redis/redis_protocol.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

// Small, so that inputs of some hundred bytes reach them. Each is of so many commands.
constexpr std::array limits = {RedisReplyLimit{.max_bytes = 1024, .max_elements = 32},
                               RedisReplyLimit{.max_bytes = 64, .max_elements = 2}};
constexpr int rounds = 16;

std::size_t elements_in(const redisReply& reply, std::size_t depth) {
  check(depth <= RedisReplyReader::max_depth + 1, "an array is as deep as it may be");
  std::size_t count = elements_of(reply).size();
  for (const redisReply* element : elements_of(reply)) count += elements_in(*element, depth + 1);
  return count;
}

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
  for (int round = 0; round < rounds; ++round) reader.expect(limits);
  std::size_t read = 0;
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
      check(elements_in(**reply, 1) <= limits.at(read++ % limits.size()).max_elements, "a reply has no more elements");
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
