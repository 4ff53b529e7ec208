import { readConfig } from "./config.js";

const required = {
  MONGO_URL: "mongodb://localhost",
  NATS_URL: "nats://localhost",
  NAMESPACES_ADDR: "localhost:1",
  SECRET_KEYS: `one:${Buffer.alloc(32).toString("base64")}`,
};

test("the defaults", () => {
  expect(readConfig(required)).toMatchObject({
    mongoDb: "ci_images",
    imageBytes: 20 * 1024 ** 3,
    virtualBytes: 64 * 1024 ** 3,
    downloadTimeoutMs: 600_000,
    downloadAttempts: 5,
    downloadRedirects: 5,
    allow: { ranges: [] },
    extraCa: undefined,
  });
});

test("everything that is missing or wrong, at once", () => {
  const env = { IMAGE_LIMIT: "much", CI_GUARD_ALLOW: "10.0.0.0/99", CI_EXTRA_CA: "/nowhere/ca.pem" };
  const names = [...Object.keys(required), ...Object.keys(env)];
  expect(() => readConfig(env)).toThrow(new RegExp(names.map((name) => `(?=[^]*${name} )`).join("")));
});
