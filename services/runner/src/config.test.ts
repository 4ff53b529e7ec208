import { rangeText } from "@ci/kit/net/guard";
import { readConfig } from "./config.js";

const required = {
  ...{ TLS_CERT: "c", TLS_KEY: "k", TLS_CA: "a" },
  RUNNER_DRIVERS: "os",
  BUILDS_ADDR: "b:1",
  NATS_URL: "nats://n:4222",
};

test("the configuration requires drivers, peers and NATS", () => {
  expect(() => readConfig({})).toThrow(/RUNNER_DRIVERS is required.*BUILDS_ADDR is required.*NATS_URL is required/s);
});

test("all other settings have a default", () => {
  expect(readConfig({ ...required, PATH: "/bin" })).toMatchObject({
    drivers: ["os"],
    builds: 1,
    path: "/bin",
    os: { path: "/usr/local/bin:/usr/bin:/bin", uids: { first: 60_600, last: 60_799 } },
    subjectPrefix: "ci",
    docker: { host: "unix:///var/run/docker.sock", cpus: 2, memoryBytes: 2 * 1024 ** 3, pids: 1_024, capabilities: [] },
    qemu: { acceleration: "auto", cpus: 1, memoryBytes: 2 * 1024 ** 3, outbound: false, virtualBytes: 64 * 1024 ** 3 },
  });
  expect(readConfig(required).qemu.warm).toEqual({ perImage: 0, maxMachines: 0, keepMs: 30 * 60_000 });
});

test("the limit of warm machines is their number per image times the builds", () => {
  const config = readConfig({ ...required, RUNNER_BUILDS: "3", RUNNER_WARM_VMS: "2", RUNNER_WARM_FOR: "90s" });
  expect(config.qemu.warm).toEqual({ perImage: 2, maxMachines: 6, keepMs: 90_000 });
});

test("each start has its own id and the same name", () => {
  const [one, two] = [readConfig(required), readConfig(required)];
  expect(one.name).toBe(two.name);
  expect(one.id).not.toBe(two.id);
  expect(one.id.startsWith(one.name)).toBe(true);
});

test.each([
  ["SUBJECT_PREFIX", "my ci"],
  ["SUBJECT_PREFIX", "*"],
  ["RUNNER_DRIVERS", "vm"],
  ["RUNNER_DRIVERS", "os,,docker"],
  ["RUNNER_BUILDS", "0"],
  ["RUNNER_BUILDS", "many"],
  ["DOCKER_CPUS", "0"],
  ["DOCKER_CPUS", "two"],
  ["DOCKER_MEMORY", "2GB"],
  ["DOCKER_REGISTRIES", "https://ghcr.io"],
  ["DOCKER_REGISTRIES", "ghcr.io/owner"],
  ["DOCKER_REGISTRIES", Array.from({ length: 257 }, (_, nth) => `r${nth}.example`).join()],
  ["DOCKER_LOCAL_IMAGES", "a b"],
  ["DOCKER_DISK", "10GB"],
  ["DOCKER_DISK", "0"],
  ["QEMU_DISK", "1KiB"],
  ["QEMU_ACCEL", "hvf"],
  ["QEMU_NETWORK", "closed"],
  ["JOB_EGRESS", "off"],
  ["JOB_EGRESS_ALLOW", Array.from({ length: 257 }, (_, nth) => `10.0.${nth % 256}.1`).join()],
  ["QEMU_CPUS", "0.5"],
  ["QEMU_KEEP_LIMIT", "60"],
  ["RUNNER_WARM_VMS", "some"],
  ["RUNNER_WARM_VMS", "1.5"],
  ["RUNNER_WARM_FOR", "30"],
  ["QEMU_MEMORY", "much"],
  ["RUNNER_IMAGES_CACHE", "40GB"],
  ["RUNNER_DRIVERS", "dokcer"],
  ["DOCKER_PIDS", "0"],
  ["DOCKER_MEMORY", "0"],
  ["DOCKER_CAPABILITIES", "SYS_PTRACE,SYS_ROOT"],
  ["DOCKER_HOST", "tcp://engine:80800"],
  ["DOCKER_HOST", "ssh://engine"],
  ["QEMU_MEMORY", "0"],
  ["QEMU_KEEP_LIMIT", "0s"],
  ["ADMIN_LISTEN", "0.0.0.0:80800"],
  ["BUILDS_ADDR", "b"],
  ["LOG_LEVEL", "all"],
  ["OS_UIDS", "60600"],
  ["OS_UIDS", "0-100"],
  ["OS_UIDS", "60799-60600"],
])("the configuration rejects %s set to %p", (name, value) => {
  expect(() => readConfig({ ...required, [name]: value })).toThrow(new RegExp(`${name} must be`));
});

test("jobs may reach no private address by default, and those that are listed", () => {
  expect(readConfig(required).egress).toEqual({ mode: "warn", allow: [], image: "" });
  expect(readConfig({ ...required, JOB_EGRESS_ALLOW: "10.1.0.0/16, fd00::1" }).egress.allow.map(rangeText)).toEqual([
    "10.1.0.0/16",
    "fd00::1/128",
  ]);
  expect(() => readConfig({ ...required, JOB_EGRESS_ALLOW: "git.example.org" })).toThrow(
    'JOB_EGRESS_ALLOW "git.example.org" is neither an IP address nor a CIDR range',
  );
});

test("the configuration needs two users for each build of the os driver", () => {
  const range = { ...required, RUNNER_BUILDS: "5", OS_UIDS: "70000-70008" };
  expect(() => readConfig(range)).toThrow(
    'OS_UIDS must have two user ids for each of RUNNER_BUILDS, not "70000-70008"',
  );
  expect(readConfig({ ...range, RUNNER_DRIVERS: "docker" }).os.uids).toEqual({ first: 70_000, last: 70_008 });
  expect(readConfig({ ...range, OS_UIDS: "70000-70009" }).os.uids.last).toBe(70_009);
});

test("only virtual machines require the images service", () => {
  expect(() => readConfig({ ...required, RUNNER_DRIVERS: "os,qemu" })).toThrow(/IMAGES_ADDR is required/);
  expect(readConfig({ ...required, RUNNER_DRIVERS: "qemu", IMAGES_ADDR: "i:1" })).toMatchObject({
    drivers: ["qemu"],
    imagesAddr: "i:1",
  });
});

test("the configuration reads drivers, CPUs and capabilities", () => {
  const config = readConfig({
    ...required,
    RUNNER_DRIVERS: "docker, os,os",
    DOCKER_CPUS: "0.5",
    DOCKER_CAPABILITIES: "SYS_PTRACE, CAP_NET_RAW",
  });
  expect(config).toMatchObject({
    drivers: ["docker", "os"],
    docker: { cpus: 0.5, capabilities: ["SYS_PTRACE", "CAP_NET_RAW"] },
  });
});

test.each(["unix:///run/engine.sock", "tcp://127.0.0.1:2375", "https://engine:2376", "http://engine", "engine:2375"])(
  "accepts an engine at %s",
  (DOCKER_HOST) => expect(readConfig({ ...required, DOCKER_HOST }).docker.host).toBe(DOCKER_HOST),
);
