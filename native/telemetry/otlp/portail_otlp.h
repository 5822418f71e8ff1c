// What the program asks of portail-otlp.so, which it loads where spans are to be sent. Plain C, so that neither has a
// library of the other's. All texts are UTF-8, and as long as the call.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PortailOtlp PortailOtlp;

typedef struct PortailOtlpText {
  const char* data;
  size_t size;
} PortailOtlpText;

typedef struct PortailOtlpOptions {
  PortailOtlpText url;  // where spans are posted
  PortailOtlpText service;
  PortailOtlpText version;
  // Why spans were not taken, in a line. From a thread of the module's, again and again.
  void (*remark)(void* context, PortailOtlpText why);
  void* context;  // outlives close()
} PortailOtlpOptions;

// A request that was answered.
typedef struct PortailOtlpSpan {
  PortailOtlpText trace_id;   // 32 hexadecimal digits
  PortailOtlpText span_id;    // 16 of them
  PortailOtlpText parent_id;  // likewise; empty: the span begins its trace
  int64_t start;              // nanoseconds since 1970
  int64_t nanoseconds;
  PortailOtlpText method;
  PortailOtlpText route;  // its pattern; empty: it reached none
  int32_t status;
} PortailOtlpSpan;

typedef struct PortailOtlpCounts {
  uint64_t sent;     // taken by the collector
  uint64_t dropped;  // refused by it, or in its absence, or one too many of those that wait
} PortailOtlpCounts;

typedef struct PortailOtlpModule {
  PortailOtlp* (*open)(const PortailOtlpOptions* options);
  // Does not wait for the collector. Any thread.
  void (*add)(PortailOtlp* otlp, const PortailOtlpSpan* span);
  // Any thread.
  PortailOtlpCounts (*counts)(const PortailOtlp* otlp);
  // Sends what waits, for that long at most, and two seconds more where a post is under way, and drops the rest. Once;
  // after it nothing is added.
  void (*stop)(PortailOtlp* otlp, int64_t longest_milliseconds);
  // After stop().
  void (*close)(PortailOtlp* otlp);
} PortailOtlpModule;

// What the module is found by: the number changes with what is above.
extern const PortailOtlpModule portail_otlp_1;

#ifdef __cplusplus
}
#endif
