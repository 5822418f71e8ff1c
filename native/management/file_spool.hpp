// A spool in a temporary file without a name, which disappears with the program. One thread at a time.
#pragma once

#include <cstdio>
#include <memory>
#include <vector>

#include "core/base/context.hpp"
#include "core/management/spool.hpp"

namespace portail {

class FileSpool final : public Spool {
 public:
  // The file is created by the first append(). Failures are logged to `log`, which must outlive this.
  explicit FileSpool(Log& log) : log_(log) {}

  Result<void> append(std::string_view bytes) override;
  Result<void> rewind() override;
  Result<std::optional<std::string_view>> next() override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  // Logs why the file cannot be used.
  [[nodiscard]] std::unexpected<Failure> failed() const;

  Log& log_;
  std::unique_ptr<std::FILE, Close> file_;
  long size_ = 0;  // bytes that were added
  std::vector<char> chunk_;
};

}  // namespace portail
