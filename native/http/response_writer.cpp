#include "native/http/response_writer.hpp"

#include <charconv>
#include <ctime>
#include <optional>

namespace portail {

std::string_view HttpDate::format(Instant now) {
  if (now.seconds() != second_) {
    second_ = now.seconds();
    const std::time_t time = second_;
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    text_.assign(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
  }
  return text_;
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  const std::string copy(text);
  std::tm parts{};
  if (!strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts)) return std::nullopt;
  const std::int64_t seconds = timegm(&parts);
  // strptime accepts more than the one form.
  if (HttpDate().format({seconds * 1'000'000}) != text) return std::nullopt;
  return seconds;
}

namespace {

constexpr std::size_t max_write_size = 16 * 1024;  // a TLS record

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

void append_number(std::string& out, std::size_t value, int base) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
  out.append(digits, end);
}

// Empty for others, as HTTP allows (RFC 9112 section 4).
std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return {};
  }
}

}  // namespace

Task<void> ResponseWriter::write(Context& context, Response& response, const ResponseFraming& framing) {
  std::string* whole = std::get_if<std::string>(&response.body);
  if (framing.coding != ContentCoding::identity) {
    mark_coded(response, framing.coding);
    if (whole) {
      std::string coded;
      Compressor(framing.coding).compress(*whole, true, coded);
      *whole = std::move(coded);
    }
  }
  out_.assign("HTTP/1.1 ");
  append_number(out_, static_cast<std::size_t>(response.status), 10);
  out_.append(" ").append(reason_phrase(response.status)).append("\r\n");
  for (const HeaderField& field : response.headers) append_field(out_, field.name, field.value);
  append_field(out_, "Date", framing.date);
  if (framing.close) append_field(out_, "Connection", "close");
  deadline_ = std::chrono::steady_clock::now() + answer_timeout;
  if (never_has_body(response.status)) {
    co_await write_whole(context, {}, true);
  } else if (whole) {
    out_.append("Content-Length: ");
    append_number(out_, whole->size(), 10);
    out_.append("\r\n");
    if (framing.omit_body) std::string().swap(*whole);  // frees the body; only its length is sent
    co_await write_whole(context, *whole, framing.omit_body);
  } else {
    const bool has_known_length = response.streamed_length && framing.coding == ContentCoding::identity;
    if (has_known_length) {
      append_field(out_, "Content-Length", std::to_string(*response.streamed_length));
    } else if (framing.minor_version == 1) {
      append_field(out_, "Transfer-Encoding", "chunked");
    }
    if (framing.omit_body) {
      response.body = std::string();  // frees the source and its session of the store
      co_await write_whole(context, {}, true);
    } else {
      const bool in_chunks = !has_known_length && framing.minor_version == 1;
      co_await write_chunks(context, *std::get<std::unique_ptr<ChunkSource>>(response.body), framing.coding, in_chunks);
    }
  }
}

Task<void> ResponseWriter::write_whole(Context& context, std::string_view body, bool omit_body) {
  out_.append("\r\n");
  occupied_ = out_.size() + body.size();
  const bool is_single_write = !omit_body && out_.size() + body.size() <= max_write_size;
  if (is_single_write) out_.append(body);
  co_await stream_.write(context, out_, deadline_);
  if (!is_single_write && !omit_body) co_await stream_.write(context, body, deadline_);
  occupied_ = 0;
}

Task<void> ResponseWriter::write_chunks(Context& context, ChunkSource& source, ContentCoding coding, bool in_chunks) {
  std::optional<Compressor> compressor;
  if (coding != ContentCoding::identity) compressor.emplace(coding);
  std::string pending;  // bytes of the body that are not framed yet
  const auto frame_pending = [&] {
    if (pending.empty()) return;
    if (in_chunks) {
      append_number(out_, pending.size(), 16);
      pending.append("\r\n");
      out_.append("\r\n");
    }
    out_.append(pending);
    pending.clear();
  };
  out_.append("\r\n");
  while (true) {
    const auto chunk = co_await outcome(source.next(context));
    if (!chunk) {
      frame_pending();
      // The client can use the first part; the missing end marks it as incomplete.
      co_await stream_.write(context, out_, deadline_);
      co_await std::unexpected(chunk.error());
      co_return;
    }
    if (!*chunk) break;
    if (compressor) {
      compressor->compress(**chunk, false, pending);
    } else {
      pending.append(**chunk);
    }
    if (pending.size() < max_write_size) continue;
    frame_pending();
    occupied_ = memory_per_source + source.occupied() + out_.capacity() + pending.capacity() +
                (compressor ? compressor->memory() : 0);
    co_await stream_.write(context, out_, deadline_);
    out_.clear();
  }
  if (compressor) compressor->compress({}, true, pending);
  frame_pending();
  if (in_chunks) out_.append("0\r\n\r\n");
  co_await stream_.write(context, out_, deadline_);
  occupied_ = 0;
}

}  // namespace portail
