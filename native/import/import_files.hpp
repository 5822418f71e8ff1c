// The document of an import and its template files, from files or standard input. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "core/exchange/import.hpp"
#include "core/storage/folder/descriptor.hpp"
#include "native/settings/fault.hpp"

namespace portail {

inline constexpr std::uint64_t default_max_document_size = std::uint64_t{1} << 30;  // bytes

class ImportFiles final : public ImportInput {
 public:
  // `source` is a file, or "-" for standard input. A pipe, which can be read only once, is copied now, up to `max_size`
  // bytes, to a temporary file in `folder`. Template files are beneath `root`; if it is empty, beneath the directory of
  // a file, and absent for other sources.
  static std::expected<ImportFiles, Fault> open(const std::string& source, const std::string& root,
                                                const std::string& folder,
                                                std::uint64_t max_size = default_max_document_size);
  // The same for an open regular file with the content of `source`, which may also be a URL.
  static std::expected<ImportFiles, Fault> open(Descriptor document, const std::string& source,
                                                const std::string& root);

  // In bytes.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  Task<void> rewind(Context& context) override;
  Task<std::optional<std::string_view>> next(Context& context) override;
  Task<std::expected<std::string, std::string>> read_template(Context& context, std::uint64_t mail_object,
                                                              std::string_view path, std::size_t max_size) override;

 private:
  ImportFiles(Descriptor document, Descriptor folder, std::uint64_t size)
      : document_(std::move(document)), directory_(std::move(folder)), size_(size), chunk_(std::size_t{256} * 1024) {}
  std::expected<std::string, std::string> read_beneath_directory(std::string_view path, std::size_t max_size) const;

  Descriptor document_;
  Descriptor directory_;  // -1: template files are unavailable
  std::uint64_t size_;
  std::vector<char> chunk_;
};

}  // namespace portail
