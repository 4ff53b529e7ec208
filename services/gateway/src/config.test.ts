import { readConfig } from "./config.js";

const env = (changes: Record<string, string> = {}) => ({
  ...{ TLS_CERT: "c", TLS_KEY: "k", TLS_CA: "a" },
  PUBLIC_URL: "https://ci.example/api/",
  BUILDS_ADDR: "b:1",
  IMAGES_ADDR: "i:1",
  NAMESPACES_ADDR: "n:1",
  WEBHOOKS_ADDR: "w:1",
  NATS_URL: "nats://n:4222",
  ...changes,
});

test("the configuration drops trailing slashes of the public URL", () => {
  expect(readConfig(env()).publicUrl).toBe("https://ci.example/api");
  expect(readConfig(env({ PUBLIC_URL: "http://ci.example" })).publicUrl).toBe("http://ci.example");
});

test.each(["", "ci.example", "ftp://ci.example", "https://ci.example/?a", "https://me@ci.example"])(
  "rejects %j as public URL",
  (text) => expect(() => readConfig(env({ PUBLIC_URL: text }))).toThrow(/PUBLIC_URL/),
);

test("the configuration has defaults", () => {
  expect(readConfig(env())).toMatchObject({
    listen: "127.0.0.1:8080",
    bodyBytes: 2 * 1024 * 1024,
    requestsPerMinute: 6_000,
    anonymousPerMinute: 600,
    requestsAtOnce: 16,
    uploadsAtOnce: 32,
    corsOrigins: [],
    badgeLabel: "Service CI",
  });
});

test.each([
  ["LISTEN", "0.0.0.0:80800"],
  ["ADMIN_LISTEN", "here"],
  ["BUILDS_ADDR", "builds:0"],
  ["WEBHOOKS_ADDR", "webhooks"],
  ["LOG_LEVEL", "loud"],
  ["BODY_LIMIT", "0"],
  ["REQUESTS_PER_MINUTE", "-1"],
  ["NATS_URL", "nats://n:70000"],
])("the configuration rejects %s=%s", (name, value) => {
  expect(() => readConfig(env({ [name]: value }))).toThrow(new RegExp(`^Settings:\n  ${name} must be [^\n]*$`));
});
