import { readScope } from "@ci/access/scope";
import { expiryComplaints, grantComplaints, hashOf, newSecret, tokenNameComplaints } from "./token.js";

test.each<[string, string, boolean, string[]]>([
  ["build:read", "build:read", false, []],
  [
    "build:read,write image:delete",
    "build:read",
    true,
    ["Scope cannot grant build:write", "Scope cannot grant image:delete"],
  ],
  ["user:read", "user:read", true, []],
  ["user:read", "user:read", false, ["Scope cannot grant user:read"]],
  ["user:read", "build:read", true, ["Scope cannot grant user:read"]],
])("checks granting %s with a token of %s (to an admin: %s)", (requested, own, toAdmin, complaints) => {
  expect(grantComplaints(readScope(requested).granted, own, toAdmin)).toEqual(complaints);
});

const now = new Date("2026-01-02T03:04:05Z");
const later = new Date("2026-01-02T03:04:06Z");
const latest = new Date("2026-01-02T03:04:07Z");
const past = "Expires_at must be in the future";
const tooLate = "Expires_at cannot be later than the expiry of the creating token";

test.each<[Date | undefined, Date | undefined, string[]]>([
  [undefined, undefined, []],
  [undefined, later, []],
  [later, undefined, []],
  [later, later, []],
  [later, latest, []],
  [latest, later, [tooLate]],
  [now, undefined, [past]],
  [now, later, [past]],
])("checks the expiry %s against the creating token's %s", (expiresAt, ofCreator, complaints) => {
  expect(expiryComplaints(expiresAt, now, ofCreator)).toEqual(complaints);
});

test.each<[string, string[]]>([
  ["laptop", []],
  ["ü".repeat(100), []],
  ["😀".repeat(100), []],
  ["", ["Name field required"]],
  ["x".repeat(101), ["Name cannot be longer than 100 characters in length"]],
])("checks the token name %s", (name, complaints) => {
  expect(tokenNameComplaints(name)).toEqual(complaints);
});

test("secrets are 32 random bytes, and their hash is SHA-256", () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(secret).toMatch(/^ci_[A-Za-z0-9_-]{43}$/);
  expect(hashOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
