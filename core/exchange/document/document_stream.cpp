#include "core/exchange/document/document_stream.hpp"

namespace portail {

Task<std::optional<Element>> DocumentStream::next(Context& context) {
  for (;;) {
    switch (reader_.next()) {
      case ElementReader::Step::element:
        co_return reader_.element();
      case ElementReader::Step::end:
      case ElementReader::Step::fault:
        co_return std::nullopt;
      case ElementReader::Step::more_bytes:
        break;
    }
    const std::optional<std::string_view> chunk = co_await input_.next(context);
    if (chunk) {
      hash_.update(*chunk);
      bytes_ += chunk->size();
      reader_.feed(*chunk);
      progress_.advance(phase_, bytes_);
    } else {
      reader_.finish();
    }
  }
}

}  // namespace portail
