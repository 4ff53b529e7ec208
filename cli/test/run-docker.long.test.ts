// Runs the built binary, cli/dist/main.js, with the Docker Engine of this machine and without a server.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import Docker from "dockerode";
import { inApp, LocalUser, printedBy } from "./_run.js";

const image = process.env.CI_TEST_IMAGE;

/** Serves the engine at a socket, until `hold` leaves all requests without an answer. */
async function holdableEngine(path: string) {
  const sockets = new Set<Socket>();
  let held = false;
  const server = createServer((client) => {
    const engine = connect("/var/run/docker.sock");
    for (const socket of [client, engine]) sockets.add(socket.on("error", () => socket.destroy()));
    if (!held) client.pipe(engine).pipe(client);
  });
  await once(server.listen(path), "listening");
  return {
    host: `unix://${path}`,
    hold() {
      held = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (!image) notRun("ci run with containers", "CI_TEST_IMAGE does not name an image with /bin/sh");
else {
  const engine = new Docker();
  const env = { DOCKER_HOST: process.env.DOCKER_HOST };
  const driver = { type: "docker", image, workspace: "/build" };
  let user: LocalUser;
  beforeEach(() => {
    user = new LocalUser();
  });
  afterEach(() => user[Symbol.dispose]());

  /** Returns what builds with this label have at the engine. */
  async function atEngine(label: string): Promise<string[]> {
    const filters = { label: [label] };
    const containers = await engine.listContainers({ all: true, filters });
    const networks = await engine.listNetworks({ filters });
    const { Volumes: volumes } = await engine.listVolumes({ filters });
    return [...containers.map(({ Id }) => Id), ...networks.map(({ Name }) => Name), ...volumes.map(({ Name }) => Name)];
  }

  test("a container gets the files of the folder, caches and hardening, and its artifacts are kept", async () => {
    user.write({ ".gitignore": "ignored", ignored: "", "src/a": "text\n" }).git("init", "-q");
    const cache = [{ name: "home", key: ["app/src/a"], paths: ["~/.kept"] }];
    const script = ["find . -type f", "cat src/a > made", "mkdir -p ~/.kept", "ls ~/.kept", "touch ~/.kept/x"];
    const caps = "grep CapEff /proc/self/status";
    const manifest = inApp([...script, caps], { driver, cache }, { artifacts: ["app/made"] });
    const first = await user.run(manifest, ["--artifacts", "kept"], env);
    expect(first).toMatchObject({ code: 0 });
    const [one, other, capabilities] = printedBy("unit", first);
    expect([one, other].sort()).toEqual(["./.gitignore", "./src/a"]);
    expect(capabilities).toMatch(/^CapEff:\s+00000000000004fb$/);
    expect(readFileSync(join(user.repository, "kept/made"), "utf8")).toBe("text\n");
    expect(printedBy("unit", await user.run(manifest, ["--artifacts", "kept"], env))).toContain("x");
  });

  test("a job reaches its services, whose output follows", async () => {
    const command = ["sh", "-c", "echo hello > /page; httpd -h / ; echo started; exec sleep 600"];
    const services = [{ name: "web", image, command, ready: "wget -qO- http://127.0.0.1/page" }];
    const ended = await user.run(inApp(["wget -qO- http://web/page"], { driver, services }), [], env);
    expect(printedBy("unit", ended)).toEqual(["hello"]);
    expect(printedBy("service.web", ended).at(-1)).toBe("started");
  });

  test("a service that ends before it is ready fails the build, and its output is kept", async () => {
    const services = [{ name: "db", image, command: ["sh", "-c", "echo no space; exit 3"], ready: "false" }];
    const ended = await user.run(inApp(["echo never"], { driver, services }), ["--json"], env);
    const reason = "Service db ended before it was ready";
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout.trim().split("\n").at(-1)!)).toMatchObject({ event: "end", data: { reason } });
    expect(ended.stdout).toContain('{"job":"service.db","text":"no space\\n"}');
  });

  test("an interrupt removes containers, networks and volumes", async () => {
    const running = user.start(["-"], env);
    running.child.stdin!.end(JSON.stringify(inApp(["echo begun-$(hostname)", "sleep 600"], { driver })));
    await running.shows("+ sleep 600");
    const [, hostname] = /begun-(\w+)$/m.exec(running.stdout)!;
    const { Config: config } = await engine.getContainer(hostname!).inspect();
    const label = `ci.runner=${config.Labels["ci.runner"]}`;
    expect(await atEngine(label)).not.toEqual([]);
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 3 });
    expect(await atEngine(label)).toEqual([]);
    expect(user.left()).toEqual([]);
  });

  test("another interrupt exits at once while the engine hangs, and the next run removes what is left", async () => {
    await using held = await holdableEngine(join(user.ci.folder, "engine.sock"));
    const running = user.start(["-"], { DOCKER_HOST: held.host });
    running.child.stdin!.end(JSON.stringify(inApp(["echo begun-$(hostname)", "sleep 600"], { driver })));
    await running.shows("+ sleep 600");
    const [, hostname] = /begun-(\w+)$/m.exec(running.stdout)!;
    const { Config: config } = await engine.getContainer(hostname!).inspect();
    const label = `ci.runner=${config.Labels["ci.runner"]}`;
    held.hold();
    running.child.kill("SIGINT");
    await running.shows("Another Ctrl-C exits at once and leaves the clean-up to the next run");
    running.child.kill("SIGINT");
    await running.ended;
    expect(running.child.signalCode).toBe("SIGINT");
    expect(await atEngine(label)).not.toEqual([]);
    expect((await user.run(inApp(["true"], { driver }), [], env)).code).toBe(0);
    expect(await atEngine(label)).toEqual([]);
  });
}
