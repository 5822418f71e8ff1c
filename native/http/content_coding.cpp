#include "native/http/content_coding.hpp"

#include <algorithm>
#include <array>
#include <new>

#include <zlib.h>
#include <zstd.h>

#include "core/http/header_fields.hpp"

namespace portail {
namespace {

constexpr std::array compressor_codings{ContentCoding::zstd, ContentCoding::gzip};  // preferred first
constexpr std::array codings{ContentCoding::zstd, ContentCoding::gzip, ContentCoding::brotli};

std::string coded_tag(std::string_view tag, ContentCoding coding) {
  if (!tag.ends_with('"')) return std::string(tag);
  return std::string(tag.substr(0, tag.size() - 1)).append("-").append(name_of(coding)).append("\"");
}

}  // namespace

std::string_view name_of(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::gzip:
      return "gzip";
    case ContentCoding::zstd:
      return "zstd";
    case ContentCoding::brotli:
      return "br";
    case ContentCoding::identity:
      break;
  }
  return "identity";
}

ContentCoding preferred_coding(const Request& request) { return preferred_coding(request, compressor_codings); }

ContentCoding preferred_coding(const Request& request, std::span<const ContentCoding> offered) {
  std::array<int, codings.size()> weights;  // of each offered coding
  weights.fill(-1);
  int wildcard_weight = 0;  // of codings that are not listed
  int identity = -1;
  for_each_preference(request, "Accept-Encoding", [&](std::string_view name, std::optional<int> weight) {
    const int q = weight.value_or(0);  // a malformed weight excludes the coding
    if (name == "*") wildcard_weight = q;
    if (equals_ignoring_case(name, "identity")) identity = q;
    for (std::size_t i = 0; i < offered.size(); ++i) {
      if (equals_ignoring_case(name, name_of(offered[i]))) weights[i] = q;
    }
  });
  ContentCoding best = ContentCoding::identity;
  int best_weight = std::max(identity, 1) - 1;  // a coding must be preferred at least as much as identity
  for (std::size_t i = 0; i < offered.size(); ++i) {
    const int q = weights[i] < 0 ? wildcard_weight : weights[i];
    if (q > best_weight) {
      best = offered[i];
      best_weight = q;
    }
  }
  return best;
}

bool is_compressible(const Response& response) {
  if (find_header(response, "Content-Encoding") || find_header(response, "Content-Range")) return false;
  const HeaderField* type = find_header(response, "Content-Type");
  if (!type) return false;
  const std::string_view media_type = trimmed(std::string_view(type->value).substr(0, type->value.find(';')));
  return media_type.starts_with("text/") || media_type == "application/json" || media_type.ends_with("+json") ||
         media_type.ends_with("+xml") || media_type == "application/javascript";
}

void mark_coded(Response& response, ContentCoding coding) {
  response.headers.push_back({.name = "Content-Encoding", .value = std::string(name_of(coding))});
  if (HeaderField* tag = find_header(response, "ETag")) tag->value = coded_tag(tag->value, coding);
}

void match_not_modified_tag(const Request& request, Response& response) {
  HeaderField* tag = find_header(response, "ETag");
  if (!tag) return;
  const auto lists = [&request](std::string_view entity_tag) {
    return std::ranges::any_of(request.headers, [entity_tag](const HeaderView& header) {
      return equals_ignoring_case(header.name, "If-None-Match") && header.value.contains(entity_tag);
    });
  };
  if (lists(tag->value)) return;
  for (const ContentCoding coding : codings) {
    std::string coded = coded_tag(tag->value, coding);
    if (lists(coded)) {
      tag->value = std::move(coded);
      return;
    }
  }
}

struct Compressor::Engine {
  virtual ~Engine() = default;
  virtual void compress(std::string_view bytes, bool last, std::string& out) = 0;
  [[nodiscard]] virtual std::size_t memory() const = 0;

 protected:
  static constexpr std::size_t output_step = 16 * 1024;

  // Appends what `produce(free space)` writes; it returns the number of bytes.
  template <class Produce>
  static void append(std::string& out, Produce produce) {
    const std::size_t before = out.size();
    out.resize_and_overwrite(before + output_step,
                             [&](char* data, std::size_t) { return before + produce(data + before); });
  }
};

namespace {

class Gzip final : public Compressor::Engine {
 public:
  Gzip() {
    constexpr int compression_level = 4;
    constexpr int gzip_window = 15 + 16;  // 16 selects gzip's header instead of zlib's
    if (deflateInit2(&stream_, compression_level, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gzip() override { deflateEnd(&stream_); }
  // According to zconf.h, for this window and memory level.
  [[nodiscard]] std::size_t memory() const override { return 256 * 1024; }

  void compress(std::string_view bytes, bool last, std::string& out) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      append(out, [&](char* free) {
        stream_.next_out = reinterpret_cast<Bytef*>(free);
        stream_.avail_out = output_step;
        deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
        return output_step - stream_.avail_out;
      });
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
};

class Zstd final : public Compressor::Engine {
 public:
  Zstd() : context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
    constexpr int compression_level = 1;
    constexpr int window = 20;  // 1 MiB: limits memory on both sides
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, compression_level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, window);
  }

  [[nodiscard]] std::size_t memory() const override { return ZSTD_sizeof_CCtx(context_.get()); }

  void compress(std::string_view bytes, bool last, std::string& out) override {
    ZSTD_inBuffer input{.src = bytes.data(), .size = bytes.size(), .pos = 0};
    std::size_t left = 0;
    do {
      append(out, [&](char* free) {
        ZSTD_outBuffer output{.dst = free, .size = output_step, .pos = 0};
        left = ZSTD_compressStream2(context_.get(), &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) throw std::bad_alloc();  // only memory can fail with these parameters
        return output.pos;
      });
    } while (last ? left != 0 : input.pos != input.size);
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

}  // namespace

Compressor::Compressor(ContentCoding coding) {
  if (coding == ContentCoding::zstd) {
    engine_ = std::make_unique<Zstd>();
  } else {
    engine_ = std::make_unique<Gzip>();
  }
}

Compressor::~Compressor() = default;

void Compressor::compress(std::string_view bytes, bool last, std::string& out) { engine_->compress(bytes, last, out); }

std::size_t Compressor::memory() const { return engine_->memory(); }

}  // namespace portail
