import { attemptHeaders, fixedHeaders } from "./sign.js";

// The digests were made with `openssl dgst -sha256 -hmac`.
const attempt = {
  prefix: "X-Service-CI",
  event: "build.started",
  deliveryId: "8f14e45f-ceea-467f-a830-1d2a5b6c7d8e",
  webhookId: 7,
  secrets: ["new sécret", "old"],
  payload: '{"id":1}',
};
const at = new Date("2026-01-02T03:04:05.678Z");

const unsigned = {
  "Content-Type": "application/json; charset=utf-8",
  Accept: "*/*",
  "User-Agent": "Service-CI-Hook",
  "X-Service-CI-Event": "build.started",
  "X-Service-CI-Delivery": attempt.deliveryId,
  "X-Service-CI-Hook-ID": "7",
};

test("without a secret nothing is signed", () => {
  expect(attemptHeaders({ ...attempt, secrets: [] }, at)).toEqual(unsigned);
});

test("a test is marked", () => {
  const marked = attemptHeaders({ ...attempt, secrets: [], test: true }, at);
  expect(marked).toEqual({ ...unsigned, "X-Service-CI-Test": "true" });
});

test("the first secret signs the body, and all secrets sign id, time and body", () => {
  expect(attemptHeaders(attempt, at)).toEqual({
    ...unsigned,
    "X-Service-CI-Signature": "sha256=481008d45ccc55521fd4b374d88aabfa2b1af840c87f8217dfb0dca9ad76c6ff",
    "webhook-id": attempt.deliveryId,
    "webhook-timestamp": "1767323045",
    "webhook-signature":
      "v1,j3BPWFdchq3KGl/IqNjWX8kwqogCnRoNLtOdU0CWAis= v1,B6L7LKKphVd6DLrIRHMet4fcLEld4wW+w3F3WrMp7Ig=",
  });
});

test("the header names have the configured prefix", () => {
  expect(Object.keys(fixedHeaders({ ...attempt, prefix: "X-Acme" })).filter((name) => name.startsWith("X-"))).toEqual([
    "X-Acme-Event",
    "X-Acme-Delivery",
    "X-Acme-Hook-ID",
    "X-Acme-Signature",
  ]);
});
