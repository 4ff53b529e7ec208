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

const openid = { OIDC_ISSUER: "https://login.example/realms/ci", OIDC_CLIENT_ID: "ci", OIDC_CLIENT_SECRET: "s" };

test("OpenID Connect is off without an issuer, and has defaults with one", () => {
  expect(readConfig(env()).openid).toBeUndefined();
  expect(readConfig(env(openid)).openid).toEqual({
    ...{ issuer: new URL("https://login.example/realms/ci"), clientId: "ci", clientSecret: "s" },
    ...{ scopes: "openid profile email", usernameClaim: "preferred_username", groupsClaim: "groups" },
    name: "OpenID Connect",
  });
});

test("an issuer is reached over http on this machine, and elsewhere only if that is allowed", () => {
  const issuerOf = (changes: Record<string, string>) => readConfig(env({ ...openid, ...changes })).openid?.issuer.href;
  for (const host of ["localhost:80", "127.0.0.1", "[::1]"])
    expect(issuerOf({ OIDC_ISSUER: `http://${host}/` })).toMatch(/^http:/);
  const elsewhere = { OIDC_ISSUER: "http://login.example/" };
  expect(() => issuerOf(elsewhere)).toThrow(/OIDC_ISSUER must be an https URL, .* OIDC_ALLOW_HTTP=true/);
  expect(issuerOf({ ...elsewhere, OIDC_ALLOW_HTTP: "true" })).toBe("http://login.example/");
});

test.each([
  ["OIDC_ISSUER", "login.example", "must be an https URL"],
  ["OIDC_ISSUER", "https://login.example/?a", "must be an https URL"],
  ["OIDC_CLIENT_ID", "", "is required with OIDC_ISSUER"],
  ["OIDC_CLIENT_SECRET", "", "is required with OIDC_ISSUER"],
  ["OIDC_SCOPES", "profile", "must contain openid"],
])("the configuration rejects %s=%s", (name, value, message) => {
  expect(() => readConfig(env({ ...openid, [name]: value }))).toThrow(`${name} ${message}`);
});
