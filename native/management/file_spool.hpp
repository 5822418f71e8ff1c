// A spool in a temporary file without a name, which disappears with the program. One thread at a time.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/base/context.hpp"
#include "core/management/spool.hpp"
#include "native/system/temporary_file.hpp"

namespace portail {

class FileSpool final : public Spool {
 public:
  // The file is created in the folder by the first append(). Failures are logged to `log`, which must outlive this.
  FileSpool(std::string folder, Log& log) : folder_(std::move(folder)), log_(log) {}

  Result<void> append(std::string_view bytes) override;
  Result<void> rewind() override;
  Result<std::optional<std::string_view>> next() override;

 private:
  // Logs why the file cannot be used.
  [[nodiscard]] std::unexpected<Failure> failed(const std::string& reason) const;

  std::string folder_;
  Log& log_;
  std::optional<TemporaryFile> file_;
};

}  // namespace portail
