import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { suite } from "@ci/testkit/suite";
import { services, settingsOf } from "./_settings.js";
import { isAlive, onServersOf, Start } from "./_start.js";

const servers = {
  ...onServersOf(suite()),
  SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
  LEASE: "10min",
};

describe("npm start with its own servers", () => {
  const secrets = { CI_ADMIN_TOKEN: "t".repeat(40), DEPLOY_PASSWORD: "other", NODE_AUTH_TOKEN: "npm" };
  const own = { MONGO_URL: undefined, NATS_URL: undefined, MONGO_DB: "private" };
  let start: Start;
  beforeAll(async () => {
    start = await Start.with({ ...servers, ...own, ...secrets, RUNNER_DRIVERS: "os" });
    await start.until("Ctrl-C stops everything");
  });
  afterAll(() => start?.[Symbol.asyncDispose]());

  const headers = { Authorization: `Bearer ${secrets.CI_ADMIN_TOKEN}`, "Content-Type": "application/json" };
  interface Build {
    readonly url: string;
    readonly status: string;
    readonly output: string;
  }
  const send = async (url: string, init: RequestInit = {}) =>
    (await (await fetch(url, { headers, ...init })).json()) as Build;
  /** Submits a build and returns it when it has passed. */
  async function passed(manifest: string): Promise<Build> {
    const { url } = await eventually(async () => {
      const build = await send(`${start.url}/builds`, { method: "POST", body: JSON.stringify({ manifest }) });
      expect(build).toMatchObject({ status: "queued" });
      return build;
    });
    return eventually(async () => {
      const build = await send(url);
      expect(build).toMatchObject({ status: "passed" });
      return build;
    });
  }

  it("gives each process only its own settings, and keeps the data folder private", () => {
    const ofMachine = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_RUNTIME_DIR|OTEL_\w+)$/;
    const ofNode =
      /^(NODE_(OPTIONS|ENV|EXTRA_CA_CERTS|COMPILE_CACHE|V8_COVERAGE)|SSL_CERT_(FILE|DIR)|MALLOC_ARENA_MAX)$/;
    const strange = (name: string, known: ReadonlySet<string>) =>
      [...start.environmentOf(name).keys()].filter(
        (key) => !(known.has(key) || ofMachine.test(key) || ofNode.test(key)),
      );
    for (const name of ["mongod", "nats-server", "guardian"])
      expect([name, strange(name, new Set())]).toEqual([name, []]);
    for (const name of services) {
      const known = settingsOf(name);
      expect([name, strange(name, known)]).toEqual([name, []]);
      for (const key of ["MONGO_URL", "SECRET_KEYS", "CI_ADMIN_TOKEN"])
        expect([name, key, start.environmentOf(name).has(key)]).toEqual([name, key, known.has(key)]);
    }
    const keys = services.map((name) => start.environmentOf(name).get("SERVICE_KEY"));
    expect([keys.every(Boolean), new Set(keys).size]).toEqual([true, services.length]);
    expect(new Set(services.map((name) => start.environmentOf(name).get("SERVICE_PEERS"))).size).toBe(1);
    const users = services.map((name) => new URL(start.environmentOf(name).get("NATS_URL")!));
    expect(users.map(({ username }) => username)).toEqual(services);
    expect(new Set(users.map(({ password }) => password)).size).toBe(services.length);
    const stored = services.filter((name) => settingsOf(name).has("MONGO_URL"));
    const owners = stored.map((name) => new URL(start.environmentOf(name).get("MONGO_URL")!));
    expect(owners.map(({ username }) => username)).toEqual(stored.map((name) => `ci_${name}`));
    expect(new Set(owners.map(({ password }) => password)).size).toBe(stored.length);
    expect(start.environmentOf("namespaces").get("CI_ADMIN_TOKEN")).toBe(secrets.CI_ADMIN_TOKEN);
    expect(start.environmentOf("builds").get("MONGO_DB")).toBe("private_builds");
    const names = ["", "settings.json", "mongo-url", "mongo-db"];
    const modes = names.map((name) => statSync(join(start.dataDir, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
    expect(readFileSync(join(start.dataDir, "mongo-db"), "utf8")).toBe("private");
  });

  it("runs a build and its webhook with the subjects of each service, and nothing else", () => {
    expect(start.output).toContain("build.submitted, build.started, build.finished received");
    const text = readFileSync(join(start.dataDir, "logs/nats-server.log"), "utf8");
    expect(text.split("\n").filter((line) => /Violation|\[ERR\]/.test(line))).toEqual([]);
  });

  if (process.getuid?.() === 0)
    it("keeps its secrets from jobs of the os driver", async () => {
      const paths = ["/proc/$PPID/environ", "/proc/$START/environ", join(start.dataDir, "settings.json")];
      const commands = paths.map((path) => `if cat ${path}; then echo leaked; fi`);
      const text = (lines: string[]) => lines.map((line) => `"${line}"`).join(", ");
      const { output } = await passed(`driver: {type: os}
env: [START=${start.pid}]
stages: [test]
jobs: [{stage: test, commands: [${text(["id -u", ...commands, `if ls ${start.dataDir}; then echo leaked; fi`])}]}]`);
      expect(output.match(/Permission denied/g)).toHaveLength(4);
      expect(output).not.toMatch(/^leaked/m);
      expect(output).not.toContain(secrets.CI_ADMIN_TOKEN);
    });
  else notRun("npm start as root", "the tests do not run as root");

  it("restarts every process that dies, and leaves no process running after Ctrl-C", async () => {
    const names = ["mongod", "nats-server", "namespaces", "images", "builds", "webhooks", "runner", "gateway"];
    const before = names.map((name) => start.processOf(name));
    for (const pid of before) process.kill(pid, "SIGKILL");
    for (const name of names) await start.until(`${name} is up again.`);
    expect(start.output).toContain(`runner died (SIGKILL). Restarting it in 0.5 s. Its log: ${start.dataDir}`);
    await passed("driver: {type: os}\nstages: [test]\njobs: [{stage: test, commands: [echo hello]}]");
    const running = start.children.map(({ pid }) => pid);
    start.kill("SIGINT");
    expect(await start.ended()).toBe(0);
    await eventually(() => expect(running.filter(isAlive)).toEqual([]));
  });
});

/** Stops the webhooks service during the first build. Returns the exit code, unless all events arrived before. */
async function exitWithoutEvents(): Promise<number | null | undefined> {
  await using start = await Start.with({ ...servers, RUNNER_DRIVERS: "os" }, "--once");
  const shows = (text: RegExp) => eventually(() => expect(start.output).toMatch(text), { withinMs: 150_000 });
  await start.until("the six services ...");
  const webhooks = await eventually(() => start.processOf("webhooks"));
  const signal = (name: NodeJS.Signals) => isAlive(webhooks) && process.kill(webhooks, name);
  await shows(/Submitted/);
  signal("SIGSTOP");
  try {
    await shows(/each signature verified|Webhook: .*build\.finished did not come within 30 s/);
  } finally {
    signal("SIGCONT");
  }
  const code = await start.ended();
  return start.output.includes("each signature verified") ? undefined : code;
}

it("npm start exits with 1 and names the event that its webhook did not receive", async () => {
  let code: number | null | undefined;
  for (let time = 0; code === undefined && time < 5; time++) code = await exitWithoutEvents();
  expect(code).toBe(1);
}, 900_000);
