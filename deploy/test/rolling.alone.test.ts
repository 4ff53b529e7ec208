import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { freePort } from "@ci/testkit/ports";
import { anyRate } from "@ci/testkit/rates";
import { balancer, isReady, type Replica } from "./_balancer.js";
import { type Installation, install, prepared } from "./_compose.js";
import { client, type Failures, follow, repeatedly, type StreamEvent, type Target } from "./_load.js";

type Tools = { command: string[]; env: Record<string, string> } | { reason: string; failed?: true };

const image = process.env.CI_TEST_IMAGE;
const tools: Tools = image
  ? prepared<Tools>("test/prepare-compose.mjs")
  : { reason: "no Docker Engine answers, or no image for builds is there" };

const services = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"] as const;
const replicas = 2;
/** The time in which clients must notice that a replica is not ready. Clients of gateways get more. */
const STOP_DELAY = "20s";
/** Limits the number of unfinished builds, which would grow on a slow machine. */
const maxUnfinished = 4;
const kinds = ["build.submitted", "build.started", "build.finished"];
const reads = ["/builds", "/n/admin/shop", "/n/admin/shop/-/webhooks", "/images", "/user", "/namespaces"];

interface Build {
  readonly number: number;
  readonly url: string;
  readonly output_url: string;
  readonly status: string;
  readonly output: string;
}

type Send = ReturnType<typeof client>["send"];

function replacement() {
  let installation: Installation;
  let frontend: Awaited<ReturnType<typeof balancer>>;
  let target: Target;
  const failures: Failures = [];
  const submitted: Build[] = [];
  /** The events of the namespace's stream, and the outputs by build number. */
  const streamEvents: StreamEvent[] = [];
  const outputs = new Map<number, string>();
  const outputStreams: Promise<void>[] = [];
  /** Warnings in the logs of stopped replicas and of all gateways, which explain failures. */
  const warnings: string[] = [];

  const composeUp = (...args: string[]) =>
    installation.composing("up", "--detach", "--no-build", "--no-recreate", ...args);
  const scale = (count: number) => (service: string) => ["--scale", `${service}=${count}`];
  const idsOf = async (service: string) => (await installation.composing("ps", "--quiet", service)).trim().split("\n");

  async function portOf(id: string, inside: number): Promise<number> {
    return Number((await installation.dockering("port", id, String(inside))).trim().split("\n")[0]!.split(":").at(-1));
  }

  async function replicaOf(service: string, id: string): Promise<Replica> {
    return { port: service === "gateway" ? await portOf(id, 8080) : 0, adminPort: await portOf(id, 9090) };
  }

  /** Resolves when all replicas of a service are ready, and the balancer has those of the gateway. */
  async function ready(service: string): Promise<void> {
    const all = await Promise.all((await idsOf(service)).map((id) => replicaOf(service, id)));
    const expectReady = async () => expect(await Promise.all(all.map(isReady))).not.toContain(false);
    await eventually(expectReady, { withinMs: 120_000, everyMs: 250 });
    if (service === "gateway") await frontend.serve(all);
  }

  /** Adds new replicas, waits until they are ready and returns the old ones. */
  async function addReplicas(service: string): Promise<string[]> {
    const old = await idsOf(service);
    await composeUp("--no-deps", ...scale(2 * replicas)(service), service);
    await ready(service);
    return old;
  }

  async function collectWarnings(service: string, id: string): Promise<void> {
    const lines = (await installation.dockering("logs", id)).split("\n");
    warnings.push(...lines.filter((line) => /"level":"(warn|error)"/.test(line)).map((line) => `${service} ${line}`));
  }

  /** Stops the old replicas one after another. */
  async function stopReplicas(service: string, old: readonly string[]): Promise<void> {
    for (const id of old) {
      await installation.dockering("stop", "--time", "330", id);
      expect((await installation.dockering("inspect", "-f", "{{.State.ExitCode}}", id)).trim()).toBe("0");
      await collectWarnings(service, id);
      await installation.dockering("rm", id);
    }
  }

  /**
   * Replaces replicas as Kubernetes does: new replicas of a service are ready before its old ones are stopped. While the
   * old ones stop, the next service's new ones start.
   */
  async function replaceAll(): Promise<void> {
    let ending = Promise.resolve();
    for (const service of services) {
      const [old] = await Promise.all([addReplicas(service), ending]);
      ending = stopReplicas(service, old);
      // Avoids an unhandled rejection. The code that awaits this gets the error.
      ending.catch(() => undefined);
    }
    await ending;
  }

  async function submit(send: Send): Promise<void> {
    const finished = streamEvents.filter(({ event }) => event === "build.finished").length;
    if (submitted.length - finished >= maxUnfinished) return;
    const commands = ["for n in 1 2 3 4 5 6 7 8; do echo line $n; sleep 0.2; done"];
    const driver = { type: "docker", image, workspace: "/work" };
    const manifest = { namespace: "shop", driver, stages: ["test"], jobs: [{ stage: "test", commands }] };
    const build = await send<Build>("/builds", { manifest: JSON.stringify(manifest) });
    submitted.push(build);
    const onEvent = ({ event, data }: StreamEvent) => {
      if (event === "output") outputs.set(build.number, (outputs.get(build.number) ?? "") + data);
      return event === "end";
    };
    outputStreams.push(follow(target, build.output_url, { failures, onEvent }));
  }

  beforeAll(async () => {
    if ("reason" in tools) throw new Error(tools.reason);
    frontend = await balancer();
    const PUBLIC_URL = `http://127.0.0.1:${frontend.port}`;
    const settings = {
      ...{ ...tools.env, PUBLIC_URL, STOP_DELAY, CI_GUARD_ALLOW: "receiver" },
      DOCKER_LOCAL_IMAGES: image!,
      // Longer than a busy machine may stall.
      ...{ RUNNER_DRAIN: "5min", LEASE: "10min" },
      ...anyRate,
    };
    installation = install(tools.command, { ...settings, CI_PORT: String(await freePort()) }, "compose.rolling.yaml");
    target = { origin: PUBLIC_URL, token: installation.secrets.CI_ADMIN_TOKEN! };
    // The first service starts after MongoDB and NATS. The others need no order.
    await composeUp(...scale(replicas)("namespaces"), "namespaces", "receiver");
    await composeUp("--no-deps", ...services.flatMap(scale(replicas)), ...services);
    for (const service of services) await ready(service);
  }, 1_200_000);
  afterAll(async () => {
    await frontend?.[Symbol.asyncDispose]();
    installation?.remove();
  });

  it("replaces every replica without a failed request, a lost or repeated build, or a missing delivery", async () => {
    await using admin = client(target);
    await admin.send("/namespaces", { name: "shop" });
    await admin.send("/n/admin/shop/-/webhooks", { payload_url: "http://receiver:9090/", events: kinds });
    const [loading, listening] = [new AbortController(), new AbortController()];
    const onEvent = (event: StreamEvent) => {
      if (event.event) streamEvents.push(event);
      return false;
    };
    const events = follow(target, "/n/admin/shop/-/events", { failures, signal: listening.signal, onEvent });
    const repeat = (name: string, step: (send: Send, nth: number) => Promise<unknown>) =>
      repeatedly(name, target, { failures, signal: loading.signal }, step);
    const load = [
      repeat("a variable", (send, nth) => send("/variables", { key: `K${nth}`, value: "v" })),
      repeat("a build", submit),
      ...reads.map((path) => repeat(path, (send) => send(path))),
    ];
    await replaceAll();
    loading.abort();
    const [variables] = await Promise.all(load);
    await Promise.all(outputStreams);
    for (const id of await idsOf("gateway")) await collectWarnings("gateway", id);
    const expectNoFailures = () =>
      expect({ failures, warnings: failures.length > 0 ? warnings : [] }).toEqual({ failures: [], warnings: [] });
    expectNoFailures();
    const expected = kinds.flatMap((kind) => submitted.map(({ number }) => `${kind} ${number}`)).sort();
    const expectEachOnce = (received: readonly string[]) => expect([...received].sort()).toEqual(expected);
    const buildEvents = () => streamEvents.filter(({ event }) => kinds.includes(event!));
    await eventually(() => expectEachOnce(buildEvents().map(({ event, data }) => `${event} ${data.number}`)));
    await eventually(async () => expectEachOnce(await delivered()), { everyMs: 500 });
    listening.abort();
    await events;
    expectNoFailures();
    expect(submitted.length).toBeGreaterThan(services.length);
    expect(await countVariables(admin.send)).toBe(variables);
    for (const { url, number } of submitted) {
      const { status, output } = await admin.send<Build>(url);
      expect({ number, status, output: outputs.get(number) }).toEqual({ number, status: "passed", output });
    }
  }, 1_200_000);

  /** Returns the distinct deliveries. One whose response was lost is sent again with the same id. */
  async function delivered(): Promise<string[]> {
    const lines = (await installation.composing("logs", "--no-log-prefix", "receiver")).trim().split("\n");
    const all = lines.map((line) => JSON.parse(line)).filter(({ headers }) => headers["x-service-ci-event"]);
    const entries = all.map(({ headers, body }) => [
      headers["x-service-ci-delivery"],
      `${headers["x-service-ci-event"]} ${JSON.parse(body).number}`,
    ]);
    return [...new Map(entries as [string, string][]).values()];
  }

  async function countVariables(send: Send): Promise<number> {
    let count = 0;
    for (let page = 1; ; page++) {
      const { length } = await send<unknown[]>(`/variables?page=${page}`);
      count += length;
      if (length === 0) return count;
    }
  }
}

if ("reason" in tools && !tools.failed) notRun("the replacement of running replicas", tools.reason);
else describe("an installation with several replicas", replacement);
