import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { deployDir } from "./_compose.js";
import { isAlive, onServersOf, Start } from "./_start.js";

// All tests share databases, so they need the same key.
const servers = { ...onServersOf(suite()), SECRET_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}` };

const fileOf = (name: string) => pathToFileURL(join(deployDir, "local/start", name)).href;

describe("npm start", () => {
  it("passes its sample build with another public URL, header prefix and driver", async () => {
    const PUBLIC_URL = "https://ci.example.com/service/";
    const settings = { PUBLIC_URL, WEBHOOK_HEADER_PREFIX: "X-Acme", RUNNER_DRIVERS: "os", LEASE: "10min" };
    await using start = await Start.with({ ...servers, ...settings }, "--once");
    expect(await start.ended()).toBe(0);
    expect(start.output).toContain("build.submitted, build.started, build.finished received, each signature verified");
    expect(start.output).toMatch(/Build #1 passed in .* s: https:\/\/ci\.example\.com\/service\/b\/admin\/1\n/);
    expect(
      start
        .log("runner")
        .map((line) => JSON.parse(line))
        .filter(({ level }) => level !== "info" && level !== "warn"),
    ).toEqual([]);
  });

  it("closes a data folder that others could read", async () => {
    const script = `
      const { readOrCreateSettings } = await import(${JSON.stringify(fileOf("settings.mjs"))});
      readOrCreateSettings(process.argv[1]);`;
    const read = (dir: string) =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, dir], { encoding: "utf8" });
    const dir = mkdtempSync(join(tmpdir(), "ci-open-"));
    await read(dir);
    const names = ["", "settings.json", "mongo-url", "mongo-db"];
    for (const name of names.slice(2)) writeFileSync(join(dir, name), "mongodb://127.0.0.1");
    for (const name of names) chmodSync(join(dir, name), 0o755);
    await read(dir);
    const modes = names.map((name) => statSync(join(dir, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
    chmodSync(dir, 0o1777);
    await expect(read(dir)).rejects.toThrow(`CI_DATA must be a folder that only Service CI uses, not "${dir}"`);
    expect(statSync(dir).mode & 0o7777).toBe(0o1777);
    rmSync(dir, { recursive: true });
  });

  it("gives up on a process that dies five times in a row, and prints the end of its log", async () => {
    const script = `
      import { supervise } from ${JSON.stringify(fileOf("supervisor.mjs"))};
      const dying = "setTimeout(() => { console.log('no disk'); process.exit(7); }, 100)";
      const command = [process.execPath, "-e", dying];
      const part = { name: "dying", command, needs: [], ready: async () => undefined };
      const { died, stop } = await supervise([part], { logDir: process.argv[1], restart: true, firstPauseMs: 10 });
      console.log(await died);
      await stop();`;
    const dir = mkdtempSync(join(tmpdir(), "ci-dying-"));
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, dir]);
    rmSync(dir, { recursive: true });
    const deaths = [0.01, 0.02, 0.04, 0.08].map((pause) =>
      expect.stringContaining(`dying died (exit code 7). Restarting it in ${pause} s.`),
    );
    const end = expect.stringMatching(
      /^dying died 5 times in a row, most recently with exit code 7 \(.*dying\.log\):$/,
    );
    expect(
      stdout
        .trim()
        .split("\n")
        .filter((line) => line !== "dying is up again."),
    ).toEqual([...deaths, end, "no disk"]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("exits after %s with %i if it was started with --once", async (signal, code) => {
    await using start = await Start.with({ ...servers, RUNNER_DRIVERS: "os" }, "--once");
    await start.until("Starting the six services");
    start.kill(signal);
    expect(await start.ended()).toBe(code);
    expect(start.output).toMatch(/\nStopping \.\.\.\n$/);
  });

  it("leaves no process running when it is killed", async () => {
    await using start = await Start.with({ ...servers, RUNNER_DRIVERS: "os" });
    await eventually(() => expect(start.children.length).toBeGreaterThan(6));
    const running = start.children.map(({ pid }) => pid);
    start.kill("SIGKILL");
    await eventually(() => expect(running.filter(isAlive)).toEqual([]));
  });

  it.each([
    [{ CI_PORT: "80800" }, 'CI_PORT must be a whole number from 1 to 65535, not "80800".'],
    [{ CI_PORT: "http" }, 'CI_PORT must be a whole number from 1 to 65535, not "http".'],
    [{ PUBLIC_URL: "ci.example.com" }, /^PUBLIC_URL must be an http or https URL .*, not "ci.example.com"\.$/],
    [{ DRIVERS: "dokcer" }, 'DRIVERS must be a list of docker, qemu and os, not "dokcer".'],
    [{ RUNNER_DRIVERS: "os,vm" }, 'RUNNER_DRIVERS must be a list of docker, qemu and os, not "os,vm".'],
    [{ RUNNER_DRIVERS: "os", DRIVERS: "docker" }, "RUNNER_DRIVERS=os and DRIVERS=docker have no driver in common."],
    [
      { RUNNER_DRIVERS: "docker", DOCKER_HOST: "tcp://127.0.0.1:1" },
      "RUNNER_DRIVERS=docker, but no Docker Engine answers: start Docker, set DOCKER_HOST, or allow os as well.",
    ],
    [{ RUNNER_DRIVERS: "qemu" }, "No sample build is run: it needs docker or os, and RUNNER_DRIVERS=qemu."],
    [
      { MONGO_URL: "mongodb://ci:secret@127.0.0.1:1" },
      /^MONGO_URL=mongodb:\/\/127\.0\.0\.1:1 cannot be used: connect ECONNREFUSED .*, npm start runs its own\.$/,
    ],
    [{ NATS_URL: "ci:secret@127.0.0.1:1" }, /^NATS_URL=127\.0\.0\.1:1 cannot be used: .* runs its own\.$/],
    [{ CI_ADMIN_TOKEN: "short", LOG_LEVEL: "warn" }, "CI_ADMIN_TOKEN must have at least 32 characters, or be left out"],
  ])("rejects %j with one sentence", async (settings, sentence) => {
    await using start = await Start.with({ ...servers, RUNNER_DRIVERS: "os", ...settings }, "--once");
    expect(await start.ended()).toBe(1);
    const lines = start.output.trim().split("\n");
    const last = lines.filter((line) => !/^(Building|Starting|Builds with the docker driver) /.test(line));
    expect(last).toEqual([expect.stringMatching(sentence)]);
  });
});
