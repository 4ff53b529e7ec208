import { isTransient, pauseAfter, responseComplaint } from "./attempt.js";

describe("responses", () => {
  test.each([
    [200, undefined, undefined],
    [200, "", undefined],
    [200, "application/x-qemu-disk", undefined],
    [200, "APPLICATION/OCTET-STREAM ; name=disk", undefined],
    [200, "text/html", "unexpected content type"],
    [200, "application/x-qemu-disk2", "unexpected content type"],
    [201, "application/x-qemu-disk", "status 201"],
    [206, undefined, "status 206"],
    [304, undefined, "status 304"],
    [503, "text/html", "status 503"],
  ])("judges status %d of type %s", (status, type, complaint) =>
    expect(responseComplaint(status, type)).toBe(complaint),
  );
});

describe("failures", () => {
  test.each([
    ...["timeout", "connection refused", "connection reset", "host unreachable", "name not found"],
    ...["name lookup failed", "network error", "status 408", "status 429", "status 500", "status 599"],
    "server too slow: less than 60 KiB in 60 s",
  ])("retries after %s", (reason) => expect(isTransient(reason)).toBe(true));

  test.each([
    ...["address not allowed", "too many redirects", "invalid redirect", "TLS certificate invalid (expired)"],
    ...["status 404", "status 5000", "status 301", "no such file", "authentication failed", ""],
  ])("does not retry after %s", (reason) => expect(isTransient(reason)).toBe(false));
});

test("each pause is three times as long as the one before", () => {
  expect([1, 2, 3, 4].map((failures) => pauseAfter(failures, 1_000))).toEqual([1_000, 3_000, 9_000, 27_000]);
});
