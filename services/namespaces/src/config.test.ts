import { readConfig } from "./config.js";

const needed = {
  MONGO_URL: "mongodb://localhost",
  NATS_URL: "nats://localhost",
  SECRET_KEYS: `a:${Buffer.alloc(32).toString("base64")}`,
};

test("what may be left out has a default", () => {
  expect(readConfig(needed)).toMatchObject({
    mongoDb: "ci_namespaces",
    objectBytes: 5 * 1024 * 1024,
    adminToken: undefined,
    adminUsername: "admin",
    adminEmail: "admin@localhost",
  });
});

test("a bootstrap token of 32 characters is accepted", () => {
  expect(readConfig({ ...needed, CI_ADMIN_TOKEN: "x".repeat(32) }).adminToken).toBe("x".repeat(32));
});

test("a shorter one is refused by name and not shown", () => {
  const refusal = "CI_ADMIN_TOKEN must have at least 32 characters, or be left out";
  expect(() => readConfig({ ...needed, CI_ADMIN_TOKEN: "y".repeat(31) })).toThrow(refusal);
  expect(() => readConfig({ ...needed, CI_ADMIN_TOKEN: "y".repeat(31) })).not.toThrow("yyy");
});

test("an admin account that nobody could have is refused", () => {
  const settings = { ...needed, CI_ADMIN_USERNAME: "a b c", CI_ADMIN_EMAIL: "admin" };
  expect(() => readConfig(settings)).toThrow(/CI_ADMIN_USERNAME is no good: .*\n.*CI_ADMIN_EMAIL is no good: /);
});

test("everything that is missing is named at once", () => {
  expect(() => readConfig({})).toThrow(/MONGO_URL is required\n.*NATS_URL is required\n.*SECRET_KEYS is required/s);
});
