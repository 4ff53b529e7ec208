import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import { readConfig } from "../../services/runner/src/config.js";
import { type Rendered, run, tool } from "./_chart.js";
import { deployDir } from "./_compose.js";
import { composeSecrets, type Variables } from "./_environments.js";
import { readBy } from "./_settings.js";

const compose = tool("compose");

function checks() {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "ci-engine-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  /** Returns the runner as Compose starts it, from these files of deploy/ and with these settings in .env. */
  function runnerOf(files: readonly string[], settings: Variables): Rendered {
    const envFile = join(dir, "env");
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(envFile, lines.join(""));
    composeSecrets(envFile);
    const named = files.flatMap((file) => ["-f", join(deployDir, file)]);
    const options = ["--env-file", envFile, ...named, "config", "--format", "json"];
    const { status, stdout, stderr } = run(compose, options);
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout).services.runner;
  }

  const both = ["compose.yaml", "compose.remote-engine.yaml"];
  const engine = { RUNNER_DOCKER_HOST: "tcp://engine.example.com:2376", RUNNER_DOCKER_CERT_PATH: "/etc/engine-tls" };
  const mountsOf = (runner: Rendered): string[] =>
    runner.volumes.map(({ source, target }: Rendered) => `${source}:${target}`);

  it("gives the runner the socket of this machine's engine and its group", () => {
    const runner = runnerOf(["compose.yaml"], { DOCKER_GID: "998" });
    expect(mountsOf(runner)).toContain("/var/run/docker.sock:/var/run/docker.sock");
    expect(runner.group_add).toEqual(["998"]);
    expect(readConfig(runner.environment).docker).toMatchObject({ host: "unix:///var/run/docker.sock" });
  });

  it("gives the runner of an engine elsewhere its certificates, and neither socket nor group", () => {
    const runner = runnerOf(both, { ...engine, DOCKER_GID: "998" });
    expect(mountsOf(runner).sort()).toEqual([
      "/dev/null:/var/run/docker.sock",
      "/etc/engine-tls:/engine-tls",
      "runner:/work",
      "tls-runner:/tls",
    ]);
    expect(runner.group_add ?? []).toEqual([]);
    expect(readConfig(runner.environment).docker).toMatchObject({
      host: engine.RUNNER_DOCKER_HOST,
      certPath: "/engine-tls",
    });
  });

  it("connects without TLS if no certificates are named", () => {
    const { environment } = runnerOf(both, { RUNNER_DOCKER_HOST: "tcp://127.0.0.1:2375" });
    expect(readConfig(environment).docker.certPath).toBeUndefined();
  });

  it("refuses an engine elsewhere if one of the two is missing", () => {
    expect(() => runnerOf(both, {})).toThrow("RUNNER_DOCKER_HOST");
    const { environment } = runnerOf(["compose.yaml"], engine);
    expect(readBy("runner", environment).complaint).toContain("needs deploy/compose.remote-engine.yaml");
  });
}

if ("reason" in compose) notRun("an engine on another machine with Compose", compose.reason);
else checks();
