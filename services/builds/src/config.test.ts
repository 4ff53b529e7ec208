import { readConfig } from "./config.js";

const required = {
  ...{ TLS_CERT: "c", TLS_KEY: "k", TLS_CA: "a" },
  PUBLIC_URL: "https://ci.example.com/api/",
  MONGO_URL: "mongodb://localhost",
  NATS_URL: "nats://localhost",
  SECRET_KEYS: `a:${Buffer.alloc(32).toString("base64")}`,
  NAMESPACES_ADDR: "namespaces:7000",
};

test("unset settings have the contract's defaults", () => {
  expect(readConfig(required)).toMatchObject({
    drivers: ["docker", "qemu"],
    manifestBytes: 1024 ** 2,
    maxJobs: 500,
    maxStages: 100,
    maxTags: 50,
    buildTimeoutMs: 1_800_000,
    prepareTimeoutMs: 300_000,
    leaseMs: 15_000,
    renewEveryMs: 5_000,
    maxReturns: 2,
    publicUrl: "https://ci.example.com/api",
  });
  expect(readConfig({ ...required, DRIVERS: "os, docker" }).drivers).toEqual(["os", "docker"]);
});

test.each([
  ["DRIVERS", "dokcer", 'must be a list of docker, qemu and os, not "dokcer"'],
  ["DRIVERS", "docker,ssh", 'must be a list of docker, qemu and os, not "docker,ssh"'],
  ["JOB_LIMIT", "0", 'must be a whole number of 1 or more, not "0"'],
  ["STAGE_LIMIT", "0", 'must be a whole number of 1 or more, not "0"'],
  ["TAG_LENGTH", "0", 'must be a whole number from 1 to 65536, not "0"'],
  ["MANIFEST_LIMIT", "0", 'must be a size from 1 to 8388607GiB, not "0"'],
  ["CURATION_EVERY", "0s", 'must be a time from 1ms to 24d, not "0s"'],
  ["BUILD_TIMEOUT", "60d", 'must be a time from 1ms to 24d, not "60d"'],
  ["LEASE_RENEWAL", "15s", 'must be shorter than LEASE, not "15s"'],
  ["HOOK_LEASE", "20s", 'must be longer than HOOK_TIMEOUT, not "20s"'],
  ["HOOK_LEASE", "25d", 'must be a time from 1ms to 24d, not "25d"'],
  ["NAMESPACES_ADDR", "namespaces:80800", 'must be host:port with a port from 1 to 65535, not "namespaces:80800"'],
  ["HOOK_RETRIES", "5s,soon", 'must be a time such as 250ms, 15s, 5min, 2h or 30d, not "soon"'],
])("%s=%s is rejected", (name, value, sentence) => {
  expect(() => readConfig({ ...required, [name]: value })).toThrow(`Settings:\n  ${name} ${sentence}`);
});
