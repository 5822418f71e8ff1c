// The interface of portail-otlp.so, which the program loads if spans are sent. Plain C, so that program and module
// share no library. Texts are UTF-8 and valid during the call.
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
  PortailOtlpText url;  // URL to which spans are posted
  PortailOtlpText service;
  PortailOtlpText version;
  // Called with a reason, one line, if spans could not be sent. Called repeatedly, on a thread of the module.
  void (*on_error)(void* context, PortailOtlpText why);
  void* context;  // must outlive close()
} PortailOtlpOptions;

// The span of an answered request.
typedef struct PortailOtlpSpan {
  PortailOtlpText trace_id;   // 32 hexadecimal digits
  PortailOtlpText span_id;    // 16 hexadecimal digits
  PortailOtlpText parent_id;  // the same; empty if the span begins its trace
  int64_t start;              // nanoseconds since 1970
  int64_t nanoseconds;
  PortailOtlpText method;
  PortailOtlpText route;  // its pattern; empty if none matched
  int32_t status;
} PortailOtlpSpan;

typedef struct PortailOtlpCounts {
  uint64_t sent;     // accepted by the collector
  uint64_t dropped;  // rejected by it, lost without it, or beyond the queue's limit
} PortailOtlpCounts;

typedef struct PortailOtlpModule {
  PortailOtlp* (*open)(const PortailOtlpOptions* options);
  // Queues a span; never waits for the collector. Any thread.
  void (*add)(PortailOtlp* otlp, const PortailOtlpSpan* span);
  // Any thread.
  PortailOtlpCounts (*counts)(const PortailOtlp* otlp);
  // Sends pending spans for at most that time, and two seconds more if a post is in flight; drops the rest. Call it
  // once; add no span afterwards.
  void (*stop)(PortailOtlp* otlp, int64_t timeout_milliseconds);
  // Requires stop().
  void (*close)(PortailOtlp* otlp);
} PortailOtlpModule;

// The symbol that the program looks up; its number changes with this interface.
extern const PortailOtlpModule portail_otlp_1;

#ifdef __cplusplus
}
#endif
