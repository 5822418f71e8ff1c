// The module that sends spans, with this program's curl_easy_setopt in the place of libcurl's, to read the timeout of a
// post without waiting for it.
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <vector>

#include <curl/curl.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "native/telemetry/otlp/portail_otlp.h"

namespace {

std::mutex mutex;            // guards `timeouts`; posts are sent on a thread of the module
std::vector<long> timeouts;  // of each post, in milliseconds

void add_timeout(long milliseconds) {
  const std::lock_guard lock(mutex);
  timeouts.push_back(milliseconds);
}

}  // namespace

extern "C" CURLcode(curl_easy_setopt)(CURL* handle, CURLoption option, ...) {
  static void* const library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD);  // the module has loaded it
  static const auto next = reinterpret_cast<decltype(&(curl_easy_setopt))>(dlsym(library, "curl_easy_setopt"));
  va_list arguments;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvarargs"  // an enumeration may be promoted; libcurl's definition has the same types
  va_start(arguments, option);
#pragma GCC diagnostic pop
  CURLcode code{};
  if (option < CURLOPTTYPE_OBJECTPOINT) {
    const long value = va_arg(arguments, long);
    if (option == CURLOPT_TIMEOUT_MS) add_timeout(value);
    code = next(handle, option, value);
  } else if (option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB) {
    code = next(handle, option, va_arg(arguments, curl_off_t));
  } else {
    code = next(handle, option, va_arg(arguments, void*));
  }
  va_end(arguments);
  return code;
}

namespace {

constexpr PortailOtlpText text_of(std::string_view text) { return {.data = text.data(), .size = text.size()}; }

class OtlpModule : public testing::Test {
 protected:
  // Returns the timeouts of the posts of one span, in milliseconds.
  std::vector<long> timeouts_of_a_span() {
    timeouts.clear();
    const PortailOtlpOptions options{.url = text_of("http://127.0.0.1:1"),  // nothing listens there
                                     .service = text_of("portail"),
                                     .version = text_of("0.1.0"),
                                     .on_error = [](void*, PortailOtlpText) {},
                                     .context = nullptr};
    PortailOtlp* const otlp = module_->open(&options);
    const PortailOtlpSpan span{.trace_id = text_of("0af7651916cd43dd8448eb211c80319c"),
                               .span_id = text_of("b7ad6b7169203331"),
                               .parent_id = {},
                               .start = 0,
                               .nanoseconds = 1,
                               .method = text_of("GET"),
                               .route = {},
                               .status = 200};
    module_->add(otlp, &span);
    module_->stop(otlp, std::int64_t{600} * 1000);
    module_->close(otlp);
    const std::lock_guard lock(mutex);
    return timeouts;
  }

 private:
  void SetUp() override {
    void* const loaded = dlopen(PORTAIL_OTLP_MODULE, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(loaded) << dlerror();
    module_ = static_cast<const PortailOtlpModule*>(dlsym(loaded, "portail_otlp_1"));
    ASSERT_TRUE(module_);
  }
  void TearDown() override { unsetenv("OTEL_EXPORTER_OTLP_TIMEOUT"); }

  const PortailOtlpModule* module_ = nullptr;
};

TEST_F(OtlpModule, LimitsAPostTo2Seconds) {
  EXPECT_EQ(timeouts_of_a_span(), std::vector<long>{2000});
  for (const char* const longer : {"3s", "1h", "0s"}) {
    setenv("OTEL_EXPORTER_OTLP_TIMEOUT", longer, 1);
    EXPECT_EQ(timeouts_of_a_span(), std::vector<long>{2000}) << longer;
  }
  setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1500ms", 1);
  EXPECT_EQ(timeouts_of_a_span(), std::vector<long>{1500});
  setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1us", 1);  // 0 ms would be no limit
  EXPECT_EQ(timeouts_of_a_span(), std::vector<long>{1});
}

}  // namespace
