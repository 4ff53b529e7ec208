import { readConfig } from "./config.js";

const required = {
  ...{ TLS_CERT: "c", TLS_KEY: "k", TLS_CA: "a" },
  PUBLIC_URL: "https://ci.example.com/api/",
  MONGO_URL: "mongodb://localhost",
  NATS_URL: "nats://localhost",
  SECRET_KEYS: `a:${Buffer.alloc(32).toString("base64")}`,
  NAMESPACES_ADDR: "namespaces:7000",
  BUILDS_ADDR: "builds:7000",
};

test("unset settings have the contract's defaults", () => {
  expect(readConfig(required)).toMatchObject({
    publicUrl: "https://ci.example.com/api",
    headerPrefix: "X-Service-CI",
    timeoutMs: 15_000,
    pausesMs: [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
    logMs: 2_592_000_000,
    eventLogMs: 86_400_000,
    bodyLimitBytes: 65_536,
    deactivateAfterMs: 432_000_000,
    secretOverlapMs: 86_400_000,
    patchWaitMs: 1_000,
    extraCa: undefined,
    resolver: expect.any(Function),
    namespacesAddr: "namespaces:7000",
  });
});

test("one error lists every wrong setting", () => {
  const wrong = {
    PUBLIC_URL: "ci.example.com",
    WEBHOOK_HEADER_PREFIX: "X CI",
    WEBHOOK_RETRIES: "5s,soon",
    CI_GUARD_ALLOW: "10.0.0.0/99",
    CI_DNS_SERVERS: "dns.example.com",
    CI_EXTRA_CA: "/no/such/file",
  };
  const message = (() => {
    try {
      return String(readConfig({ ...required, ...wrong }));
    } catch (error) {
      return (error as Error).message;
    }
  })();
  for (const name of Object.keys(wrong)) expect(message).toContain(name);
});

test.each([
  ["WEBHOOK_CONCURRENCY", "0", 'must be a whole number of 1 or more, not "0"'],
  ["WEBHOOK_TIMEOUT", "0s", 'must be a time from 1ms to 24d, not "0s"'],
  ["WEBHOOK_HEADER_PREFIX", "Webhook", "must not be webhook: webhook-signature is a header of its own"],
  ["BUILDS_ADDR", "builds:70000", 'must be host:port with a port from 1 to 65535, not "builds:70000"'],
])("%s=%s is rejected", (name, value, sentence) => {
  expect(() => readConfig({ ...required, [name]: value })).toThrow(`Settings:\n  ${name} ${sentence}`);
});
