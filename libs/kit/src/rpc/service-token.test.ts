import { generateKeyPairSync, sign } from "node:crypto";
import type { ServiceName } from "./callers.js";
import { callTimeoutMs } from "./method.js";
import { audienceOf, signer, verifier } from "./service-token.js";

const [builds, runner] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const peers = new Map<ServiceName, typeof builds.publicKey>([
  ["builds", builds.publicKey],
  ["runner", runner.publicKey],
]);
const at = 1_000_000;
const text = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function tokenOf(header: object, claims: object, key = runner.privateKey): string {
  const signed = `${text(header)}.${text(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`;
}

test("the audience is the gRPC service of the method", () =>
  expect(audienceOf("/ci.builds.v1.QueueService/ClaimBuild")).toBe("ci.builds.v1.QueueService"));

test("a token proves its signer's name to one audience for a minute", () => {
  let now = at;
  const verify = verifier(peers, () => now);
  const token = signer("runner", runner.privateKey, () => at)("a");
  expect(verify(token, "a")).toBe("runner");
  expect(verify(token, "b")).toBeUndefined();
  now = at + 59_999;
  expect(verify(token, "a")).toBe("runner");
  now = at + 60_000;
  expect(verify(token, "a")).toBeUndefined();
});

test("a signer reuses a token for half of its lifetime", () => {
  let now = at;
  const sign = signer("runner", runner.privateKey, () => now);
  const first = sign("a");
  expect(sign("b")).not.toBe(first);
  now += 14_999;
  expect(sign("a")).toBe(first);
  now += 1;
  expect(sign("a")).not.toBe(first);
});

test("a call with a token that has been used may wait until its deadline", () => {
  let now = at;
  const sign = signer("runner", runner.privateKey, () => now);
  sign("a");
  now += 14_999;
  const token = sign("a");
  now += callTimeoutMs;
  expect(verifier(peers, () => now)(token, "a")).toBe("runner");
});

test("tokens are valid even if the clocks of the two processes differ", () => {
  const { now } = Date;
  try {
    Date.now = () => 0;
    const token = signer("runner", runner.privateKey)("a");
    Date.now = () => at;
    expect(verifier(peers)(token, "a")).toBe("runner");
  } finally {
    Date.now = now;
  }
});

const claims = { iss: "runner", aud: "a", untilMs: at + 10_000 };
const header = { alg: "EdDSA", typ: "JWT" };
const good = tokenOf(header, claims);

test.each([
  ["signed by another service", tokenOf(header, { ...claims, iss: "builds" })],
  ["of a service whose key the verifier lacks", tokenOf(header, { ...claims, iss: "images" })],
  ["of an unknown service", tokenOf(header, { ...claims, iss: "__proto__" })],
  ["without a signature", `${good.split(".").slice(0, 2).join(".")}.`],
  ["with another algorithm", tokenOf({ alg: "none", typ: "JWT" }, claims)],
  ["that lives too long", tokenOf(header, { ...claims, untilMs: at + 31_000 })],
  ["without an expiry", tokenOf(header, { ...claims, untilMs: undefined })],
  ["whose expiry is not a number", tokenOf(header, { ...claims, untilMs: "soon" })],
  ["with a fourth part", `${good}.x`],
  ["that is not JSON", tokenOf(header, claims).replace(/\.[^.]+\./, ".bm8.")],
  ["that is empty", ""],
])("a token %s is rejected", (_what, token) => {
  const verify = verifier(peers, () => at);
  expect(verify(good, "a")).toBe("runner");
  expect(verify(token, "a")).toBeUndefined();
});
