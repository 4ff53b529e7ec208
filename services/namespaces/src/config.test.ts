import { readConfig } from "./config.js";

const required = {
  ...{ TLS_CERT: "c", TLS_KEY: "k", TLS_CA: "a" },
  MONGO_URL: "mongodb://localhost",
  NATS_URL: "nats://localhost",
  SECRET_KEYS: `a:${Buffer.alloc(32).toString("base64")}`,
};

test("optional settings have defaults", () => {
  expect(readConfig(required)).toMatchObject({
    mongoDb: "ci_namespaces",
    objectBytes: 5 * 1024 * 1024,
    adminToken: undefined,
    adminUsername: "admin",
    adminEmail: "admin@localhost",
  });
});

test("accepts a bootstrap token of 32 characters", () => {
  expect(readConfig({ ...required, CI_ADMIN_TOKEN: "x".repeat(32) }).adminToken).toBe("x".repeat(32));
});

test("rejects a shorter bootstrap token without revealing it", () => {
  const refusal = "CI_ADMIN_TOKEN must have at least 32 characters, or be left out";
  expect(() => readConfig({ ...required, CI_ADMIN_TOKEN: "y".repeat(31) })).toThrow(refusal);
  expect(() => readConfig({ ...required, CI_ADMIN_TOKEN: "y".repeat(31) })).not.toThrow("yyy");
});

test("rejects an impossible admin account", () => {
  const settings = { ...required, CI_ADMIN_USERNAME: "a b c", CI_ADMIN_EMAIL: "admin" };
  expect(() => readConfig(settings)).toThrow(/CI_ADMIN_USERNAME is invalid: .*\n.*CI_ADMIN_EMAIL is invalid: /);
});

test("one error names every missing setting", () => {
  expect(() => readConfig({})).toThrow(/MONGO_URL is required\n.*NATS_URL is required\n.*SECRET_KEYS is required/s);
});

test("rejects a group without a namespace, and quotes it", () => {
  expect(() => readConfig({ ...required, OIDC_GROUP_NAMESPACES: "devs=alice/team; ops" })).toThrow(
    'OIDC_GROUP_NAMESPACES has the entry "ops": write it as group=user/namespace',
  );
});
