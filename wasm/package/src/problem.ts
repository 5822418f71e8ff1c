// The contract's error answers, for requests that do not reach the module.
import type { RawResponse } from "./messages.js";

const messages = {
  404: "There is no such endpoint!",
  500: "An internal error occurred during your request!",
  503: "The service cannot answer now; try again later!",
};

export function problem(status: keyof typeof messages): RawResponse {
  const error = { code: null, message: messages[status], details: null, data: {}, validationErrors: null };
  const headers: RawResponse["headers"] = [
    ["Content-Type", "application/json; charset=utf-8"],
    ["Content-Language", "en"],
    ["Cache-Control", "no-store"],
    ["_AbpErrorFormat", "true"],
    ["Vary", "Authorization, Origin, Accept-Encoding, Accept-Language"],
    ["X-Content-Type-Options", "nosniff"],
    ["X-Correlation-Id", hexadecimal(crypto.getRandomValues(new Uint8Array(16)))],
  ];
  if (status === 503) headers.push(["Retry-After", "5"]);
  return { status, headers, body: new TextEncoder().encode(JSON.stringify({ error })), close: false };
}

function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
