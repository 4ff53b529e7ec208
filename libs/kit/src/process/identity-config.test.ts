import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { readSettings } from "./config.js";
import { identityConfig } from "./identity-config.js";

const privateText = (key: KeyObject) => key.export({ format: "der", type: "pkcs8" }).toString("base64");
const publicText = (key: KeyObject) => key.export({ format: "der", type: "spki" }).toString("base64");
const [builds, runner, rsa] = [
  generateKeyPairSync("ed25519"),
  generateKeyPairSync("ed25519"),
  generateKeyPairSync("rsa", { modulusLength: 2_048 }),
];
const keys = {
  SERVICE_KEY: privateText(builds.privateKey),
  SERVICE_PEERS: `builds:${publicText(builds.publicKey)}, runner:${publicText(runner.publicKey)}`,
};
const files = { TLS_CERT: "c.pem", TLS_KEY: "k.pem", TLS_CA: "a.pem" };

const read = (env: Record<string, string>, LISTEN = "127.0.0.1:80", BUILDS_ADDR = "localhost:81") =>
  readSettings(env, (s) => identityConfig(s, "builds", { LISTEN, BUILDS_ADDR }));

test("a service on the loopback has a key, and knows those of all services", () => {
  const { service, keys: found } = read(keys);
  expect(service).toBe("builds");
  expect(found?.own.equals(builds.privateKey)).toBe(true);
  expect([...found!.peers.keys()]).toEqual(["builds", "runner"]);
});

test("a service with certificates needs no key", () => {
  expect(read(files, "0.0.0.0:80")).toEqual({ service: "builds", tls: { cert: "c.pem", key: "k.pem", ca: "a.pem" } });
});

test.each([
  ["LISTEN", "0.0.0.0:80", "localhost:81"],
  ["LISTEN", "[::]:80", "localhost:81"],
  ["LISTEN", "127.0.0.1.example.com:80", "localhost:81"],
  ["BUILDS_ADDR", "[::1]:80", "builds:81"],
  ["BUILDS_ADDR", "127.1.2.3:80", "10.0.0.1:81"],
])("with %s off the loopback (%s, %s), certificates are required and keys do not help", (name, listen, peer) => {
  expect(() => read(keys, listen, peer)).toThrow(
    `Settings:\n  TLS_CERT is required: ${name} is not on the loopback\n  TLS_KEY is required: ${name} is not on the loopback\n  TLS_CA is required: ${name} is not on the loopback`,
  );
});

test.each([
  ["neither keys nor certificates", {}, /SERVICE_KEY is required without TLS_CERT.*SERVICE_PEERS is required without/s],
  ["two of three files", { TLS_CERT: "c", TLS_KEY: "k" }, /TLS_CA is required/],
  ["a key that is none", { ...keys, SERVICE_KEY: "c2VjcmV0" }, /SERVICE_KEY must be base64 of an Ed25519 key/],
  ["a key of another kind", { ...keys, SERVICE_KEY: privateText(rsa.privateKey) }, /SERVICE_KEY must be base64/],
  ["another's key", { ...keys, SERVICE_KEY: privateText(runner.privateKey) }, /SERVICE_PEERS must hold the public key/],
  ["an unknown service", { ...keys, SERVICE_PEERS: "nobody:AA==" }, /SERVICE_PEERS must name gateway, .*"nobody"/],
])("refuses %s, without quoting a key", (_what, env, sentence) => {
  const refused = () => read(env as Record<string, string>);
  expect(refused).toThrow(sentence);
  expect(refused).not.toThrow(/c2VjcmV0|MC4C/);
});
