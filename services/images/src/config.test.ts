import { readConfig } from "./config.js";

const required = {
  ...{ TLS_CERT: "c", TLS_KEY: "k", TLS_CA: "a" },
  MONGO_URL: "mongodb://localhost",
  NATS_URL: "nats://localhost",
  NAMESPACES_ADDR: "localhost:1",
  SECRET_KEYS: `one:${Buffer.alloc(32).toString("base64")}`,
};

test("optional settings have defaults", () => {
  expect(readConfig(required)).toMatchObject({
    mongoDb: "ci_images",
    imageBytes: 20 * 1024 ** 3,
    virtualBytes: 64 * 1024 ** 3,
    downloadTimeoutMs: 600_000,
    downloadStallMs: 60_000,
    downloadAttempts: 5,
    downloadRedirects: 5,
    allow: { ranges: [] },
    extraCa: undefined,
  });
});

test("one error names every missing or invalid setting", () => {
  const env = { IMAGE_LIMIT: "much", CI_GUARD_ALLOW: "10.0.0.0/99", CI_EXTRA_CA: "/nowhere/ca.pem" };
  const names = [...Object.keys(required).filter((name) => !name.startsWith("TLS_")), ...Object.keys(env)];
  expect(() => readConfig(env)).toThrow(new RegExp(names.map((name) => `(?=[^]*${name} )`).join("")));
});

test.each([
  ["DOWNLOAD_ATTEMPTS", "0", 'must be a whole number of 1 or more, not "0"'],
  ["DOWNLOAD_CONCURRENCY", "0", 'must be a whole number of 1 or more, not "0"'],
  ["DOWNLOAD_TIMEOUT", "0s", 'must be a time from 1ms to 24d, not "0s"'],
  ["NAMESPACES_ADDR", "here", 'must be host:port with a port from 1 to 65535, not "here"'],
])("rejects %s=%s", (name, value, sentence) => {
  expect(() => readConfig({ ...required, [name]: value })).toThrow(`Settings:\n  ${name} ${sentence}`);
});
