// The contract's error answers, for requests that do not reach the module.
import type { RawResponse } from "./messages.js";

const messages = {
  404: "There is no such endpoint!",
  500: "An internal error occurred during your request!",
  503: "The service cannot answer now; try again later!",
};

export function problem(status: keyof typeof messages): RawResponse;
export function problem(status: 412 | 500, message: string): RawResponse;
export function problem(status: keyof typeof messages | 412, message = messages[status as keyof typeof messages]): RawResponse {
  const headers: RawResponse["headers"] = [
    ["Content-Type", "application/json; charset=utf-8"],
    ["Content-Language", "en"],
    ["Cache-Control", "no-store"],
    ["_AbpErrorFormat", "true"],
    ["Vary", "Authorization, Origin, Accept-Encoding, Accept-Language"],
    ["X-Content-Type-Options", "nosniff"],
    ["X-Correlation-Id", Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")],
  ];
  if (status === 503) headers.push(["Retry-After", "5"]);
  return { status, headers, body: new TextEncoder().encode(JSON.stringify({ error: { code: null, message, details: null, data: {}, validationErrors: null } })), close: false };
}
