import { failureClass } from "./failure-class.js";

test.each([
  [500, "unexpected status 500", "5xx"],
  [410, "unexpected status 410", "4xx"],
  [302, "unexpected status 302", "3xx"],
  [undefined, "timeout", "timeout"],
  [undefined, "name not found", "dns"],
  [undefined, "name lookup failed", "dns"],
  [undefined, "connection refused", "connection"],
  [undefined, "connection reset", "connection"],
  [undefined, "host unreachable", "connection"],
  [undefined, "TLS certificate invalid (expired)", "tls"],
  [undefined, "TLS handshake failed", "tls"],
  [undefined, "address not allowed", "blocked"],
  [undefined, "invalid response", "other"],
  [undefined, undefined, "other"],
])("status %s with the error %j has the class %s", (code, error, expected) => {
  expect(failureClass(code, error)).toBe(expected);
});
