// A spool in a temporary file without a name, which disappears with the program. One thread at a time.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/context.hpp"
#include "core/management/spool.hpp"

namespace portail {

class FileSpool final : public Spool {
 public:
  // The file is created in the folder by the first append(). Failures are logged to `log`, which must outlive this.
  FileSpool(std::string folder, Log& log) : folder_(std::move(folder)), log_(log) {}

  Result<void> append(std::string_view bytes) override;
  Result<void> rewind() override;
  Result<std::optional<std::string_view>> next() override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  // Logs why the file cannot be used: errno, or a message.
  [[nodiscard]] std::unexpected<Failure> failed() const;
  [[nodiscard]] std::unexpected<Failure> failed(const std::string& reason) const;

  std::string folder_;
  Log& log_;
  std::unique_ptr<std::FILE, Close> file_;
  long size_ = 0;  // bytes that were added
  std::vector<char> chunk_;
};

}  // namespace portail
