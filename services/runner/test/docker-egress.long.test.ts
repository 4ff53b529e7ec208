import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseRanges } from "@ci/kit/net/guard";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import Docker from "dockerode";
import type { Driver } from "../src/driver.js";
import { bridgePrefix } from "../src/drivers/docker/network/network.js";
import { type DockerOptions, dockerDriver } from "../src/drivers/docker.js";
import type { EgressConfig } from "../src/drivers/egress/egress-config.js";
import { shortNameOf } from "../src/drivers/egress/keeper.js";
import { isRoot } from "../src/drivers/user.js";
import { workRoot } from "../src/drivers/work-root.js";
import { installation } from "./_assignment.js";
import { dockerOptions, openEgress } from "./_docker.js";
import { canFilter, iptablesImage, type Outside, startOutside } from "./_outside.js";
import { never, ran } from "./_subject.js";

const image = process.env.CI_TEST_IMAGE;
const why = image ? "it needs root, iptables and the engine on this host" : "no Docker Engine";

if (!image || !isRoot() || !canFilter()) notRun("egress of the docker driver", why);
else {
  const engine = new Docker();
  const name = `test-${randomUUID()}`;
  const enforced: EgressConfig = { mode: "enforce", allow: [], image: "" };
  let dir: string;
  let outside: Outside;
  let driver: Driver;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    outside = await startOutside();
    driver = await open(name, enforced);
  });
  afterAll(async () => {
    await driver.close!();
    await outside[Symbol.asyncDispose]();
    await rm(dir, { recursive: true });
  });

  async function open(name: string, egress: EgressConfig, more: Partial<DockerOptions> = {}): Promise<Driver> {
    return dockerDriver(dockerOptions(name, await workRoot(dir, name), { egress, ...more }));
  }

  const job = { id: 1, script: "sleep 1000; :" };
  let lastId = randomBytes(3).readUIntBE(0, 3);

  /** Starts an environment and calls `work` with a function that runs a script in it. */
  async function within<T>(
    driver: Driver,
    work: (run: (script: string) => Promise<string>, network: string) => Promise<T>,
  ): Promise<T> {
    const buildId = ++lastId;
    const order = {
      ...{ mark: { installation, buildId, epoch: 1 }, owner: { userId: 1, namespaceOnly: false } },
      ...{ image: image!, workspace: "/w", pullAlways: false, variables: [], jobs: [job] },
    };
    await eventually(async () => expect(await driver.ready()).toBe(true));
    await using environment = driver.environment(order);
    await environment.prepare(() => undefined, never);
    const running = ran(environment, job);
    running.catch(() => undefined);
    const filters = { label: [`ci.build=${buildId}`] };
    const [container] = await eventually(async () => {
      const found = await engine.listContainers({ filters });
      expect(found.length).toBe(1);
      return found;
    });
    const [network] = await engine.listNetworks({ filters });
    return await work((script) => inContainer(container!.Id, script), network!.Name);
  }

  /** Runs a script in a container and returns its output. */
  async function inContainer(id: string, script: string): Promise<string> {
    const exec = await engine
      .getContainer(id)
      .exec({ Cmd: ["sh", "-c", script], AttachStdout: true, AttachStderr: true });
    const stream = await exec.start({ Tty: true } as never);
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString().replaceAll("\r", "").trim();
  }

  /** A script that prints what an HTTP server answers. The wget of a static busybox crashes where it would look up a name. */
  const get = (host: string, port: number, waitSeconds = 5) =>
    `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w ${waitSeconds} ${host} ${port} 2>&1 | tail -n 1`;
  const named = "$(nslookup db | sed -n 's/^Address: *\\([0-9.]*\\)$/\\1/p')";
  const rules = () => execFileSync("iptables-save", { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const gateway = "$(ip route | awk '/^default/ {print $3}')";
  const rejected = /No route to host|Host is unreachable|admin prohibited|Permission denied/i;
  // While another test makes a network, packets are dropped instead of rejected.
  const blocked = new RegExp(`${rejected.source}|timed out`, "i");

  describe("jobs without a packet filter", () => {
    test("reach private, link-local and host addresses: otherwise the tests below would prove nothing", async () => {
      const open_ = await open(`${name}-open`, openEgress);
      await within(open_, async (run) => {
        for (const address of [outside.publicAddress, outside.privateAddress, outside.linkLocalAddress])
          expect([address, await run(get(address, outside.port, 30))]).toEqual([address, "outside"]);
        expect(await run(get(gateway, outside.hostPort, 30))).toBe("host");
      });
      await open_.close!();
    });
  });

  describe("jobs behind the packet filter", () => {
    test("reach public addresses, but no private, link-local and host addresses", async () => {
      await within(driver, async (run) => {
        expect(await run(get(outside.publicAddress, outside.port, 30))).toBe("outside");
        for (const address of [outside.privateAddress, outside.linkLocalAddress])
          await eventually(async () =>
            expect([address, await run(get(address, outside.port))]).toEqual([
              address,
              expect.stringMatching(rejected),
            ]),
          );
        for (const address of [gateway, outside.hostAddress, "172.17.0.1"])
          expect([address, await run(get(address, outside.hostPort))]).toEqual([
            address,
            expect.stringMatching(blocked),
          ]);
      });
    });

    test("reach containers of their own network, by name too, but none of another build", async () => {
      const service = async (network: string) =>
        engine.createContainer({
          Image: image!,
          Cmd: ["sh", "-c", "echo service > /index.html; exec httpd -f -p 8000 -h /"],
          NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: ["db"] } } },
          HostConfig: { NetworkMode: network },
        });
      await within(driver, (run, network) =>
        within(driver, async (runOther) => {
          const container = await service(network);
          await container.start();
          const { NetworkSettings } = await container.inspect();
          const address = NetworkSettings.Networks[network]!.IPAddress;
          await eventually(async () => expect(await run(get(named, 8000, 30))).toBe("service"));
          expect(await run(get(address, 8000, 30))).toBe("service");
          expect(await runOther(get(address, 8000))).toMatch(blocked);
          await container.remove({ force: true });
        }),
      );
    });

    test("reach what the allow-list names, and nothing else", async () => {
      const allow = parseRanges(`${outside.privateAddress}, 172.16.0.0/12, 192.168.0.0/16`);
      const allowing = await open(`${name}-allow`, { ...enforced, allow });
      await within(allowing, async (run) => {
        expect(await run(get(outside.privateAddress, outside.port, 30))).toBe("outside");
        expect(await run(get(gateway, outside.hostPort, 30))).toBe("host");
        expect(await run(get(outside.linkLocalAddress, outside.port))).toMatch(blocked);
      });
      await allowing.close!();
    });

    test("stay behind it while the engine takes its own jump out of the filter, as it does for each network", async () => {
      const jump = ["FORWARD", "-j", "DOCKER-USER"];
      await within(driver, async (run) => {
        // Any other build's network puts the jump back, so it is taken out again during the attempt.
        const missing = setInterval(() => spawnSync("iptables", ["-w", "-D", ...jump]), 1);
        try {
          expect(await run(get(outside.publicAddress, outside.port, 30))).toBe("outside");
          for (const address of [outside.privateAddress, outside.linkLocalAddress])
            expect([address, await run(get(address, outside.port))]).toEqual([address, expect.stringMatching(blocked)]);
        } finally {
          clearInterval(missing);
          spawnSync("iptables", ["-w", "-D", ...jump]);
          execFileSync("iptables", ["-w", "-I", ...jump]);
        }
      });
    });

    test("are behind it again when a restarted runner finds its rules removed", async () => {
      const chain = `CI-BUILDS-${shortNameOf(name)}`;
      execFileSync("iptables", ["-F", chain], { stdio: "pipe" });
      const second = await open(`${name}`, enforced);
      await within(second, async (run) => {
        expect(await run(get(outside.privateAddress, outside.port))).toMatch(blocked);
      });
    });

    test("have rules that go with the runner, once nothing of its builds is left", async () => {
      const mine = `${name}-ends`;
      const ending = await open(mine, enforced);
      await within(ending, async () => {
        await ending.close!();
        expect(rules()).toContain(bridgePrefix(mine));
      });
      await ending.close!();
      expect(rules()).not.toContain(bridgePrefix(mine));
      expect(rules()).not.toContain(shortNameOf(mine));
    });
  });

  describe("an engine on whose host the runner is not root", () => {
    let host: string;
    const server = createServer((client) => {
      const socket = connect("/var/run/docker.sock");
      client.on("error", () => socket.destroy());
      socket.on("error", () => client.destroy());
      client.pipe(socket).pipe(client);
    });
    beforeAll(async () => {
      await once(server.listen(0, "127.0.0.1"), "listening");
      host = `tcp://127.0.0.1:${(server.address() as { port: number }).port}`;
    });
    afterAll(() => server.close());

    /** Records log lines, without that of an engine that answers late: it is asked again. */
    function recording() {
      const lines: { level: string; text: string }[] = [];
      const note = (level: string) => (_fields: unknown, text: string) => {
        if (text !== "Docker Engine cannot be reached") lines.push({ level, text });
      };
      const log = createLog("runner", "silent");
      return { lines, log: Object.assign(log, { warn: note("warn"), error: note("error") }) };
    }

    test("gets no builds with JOB_EGRESS=enforce, and an error says why", async () => {
      const { lines, log } = recording();
      const remote = await open(`${name}-remote`, enforced, { host, log });
      await eventually(async () => expect([await remote.ready(), lines.length]).toEqual([false, 1]));
      expect(await remote.ready()).toBe(false);
      expect(lines).toEqual([
        {
          level: "error",
          text: "jobs could reach private addresses, because the packet filter is not set: claiming no builds",
        },
      ]);
    });

    test("gets builds with JOB_EGRESS=warn, and a warning says what they can reach", async () => {
      const { lines, log } = recording();
      const remote = await open(`${name}-remote`, { ...enforced, mode: "warn" }, { host, log });
      await eventually(async () => expect(await remote.ready()).toBe(true));
      expect(lines).toEqual([
        { level: "warn", text: "jobs could reach private addresses, because the packet filter is not set" },
      ]);
    });

    test("has the packet filter set by a container of JOB_EGRESS_IMAGE", async () => {
      const tool = await iptablesImage(engine, image);
      const remote = await open(`${name}-image`, { ...enforced, image: tool }, { host });
      await within(remote, async (run) => {
        expect(await run(get(outside.publicAddress, outside.port, 30))).toBe("outside");
        expect(await run(get(outside.privateAddress, outside.port))).toMatch(blocked);
        expect(await run(get(gateway, outside.hostPort))).toMatch(blocked);
      });
      await remote.close!();
      await engine.getImage(tool).remove();
      expect(rules()).not.toContain(bridgePrefix(`${name}-image`));
    });
  });
}
