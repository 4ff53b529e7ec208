import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { balancer, isReady, type Replica } from "./_balancer.js";
import { freePort, type Installation, install, prepared } from "./_compose.js";
import { client, type Failures, follow, repeatedly, type StreamEvent, type Target } from "./_load.js";

type Tools = { command: string[]; env: Record<string, string> } | { reason: string; failed?: true };

const image = process.env.CI_TEST_IMAGE;
const tools: Tools = image
  ? prepared<Tools>("test/prepare-compose.mjs")
  : { reason: "no Docker Engine answers, or no image for builds is there" };

const services = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"] as const;
const replicas = 2;
/** How long clients have to notice that a replica is no longer ready. Clients of gateways get longer. */
const STOP_DELAY = "4s";
/** Limit of unfinished builds, so that a slow machine does not collect more and more of them. */
const mostUnfinished = 4;
const kinds = ["build.submitted", "build.started", "build.finished"];
const reads = ["/builds", "/n/admin/shop", "/n/admin/shop/-/webhooks", "/images", "/user", "/namespaces"];

interface Build {
  readonly number: number;
  readonly url: string;
  readonly output_url: string;
  readonly status: string;
  readonly output: string;
}

type Ask = ReturnType<typeof client>["ask"];

function replacement() {
  let on: Installation;
  let front: Awaited<ReturnType<typeof balancer>>;
  let target: Target;
  const failures: Failures = [];
  const submitted: Build[] = [];
  /** Events of the stream, and outputs by build number. */
  const told: StreamEvent[] = [];
  const said = new Map<number, string>();
  const following: Promise<void>[] = [];
  /** Warnings in the logs of replaced replicas and of all gateways, which explain failures. */
  const warnings: string[] = [];

  const up = (...args: string[]) => on.composing("up", "--detach", "--no-build", "--no-recreate", ...args);
  const scale = (count: number) => (service: string) => ["--scale", `${service}=${count}`];
  const idsOf = async (service: string) => (await on.composing("ps", "--quiet", service)).trim().split("\n");

  async function portOf(id: string, inside: number): Promise<number> {
    return Number((await on.dockering("port", id, String(inside))).trim().split("\n")[0]!.split(":").at(-1));
  }

  async function replicaOf(service: string, id: string): Promise<Replica> {
    return { port: service === "gateway" ? await portOf(id, 8080) : 0, adminPort: await portOf(id, 9090) };
  }

  /** Resolves when all replicas of a service are ready and known to the balancer. */
  async function ready(service: string): Promise<void> {
    const all = await Promise.all((await idsOf(service)).map((id) => replicaOf(service, id)));
    const look = async () => expect(await Promise.all(all.map(isReady))).not.toContain(false);
    await eventually(look, { withinMs: 120_000, everyMs: 250 });
    if (service === "gateway") await front.serve(all);
  }

  /** Starts new replicas beside the old ones and waits until they are ready. Returns the old ones. */
  async function add(service: string): Promise<string[]> {
    const old = await idsOf(service);
    await up("--no-deps", ...scale(2 * replicas)(service), service);
    await ready(service);
    return old;
  }

  async function collectWarnings(service: string, id: string): Promise<void> {
    const lines = (await on.dockering("logs", id)).split("\n");
    warnings.push(...lines.filter((line) => /"level":"(warn|error)"/.test(line)).map((line) => `${service} ${line}`));
  }

  /** Stops the old replicas one after another. */
  async function end(service: string, old: readonly string[]): Promise<void> {
    for (const id of old) {
      await on.dockering("stop", "--time", "150", id);
      expect((await on.dockering("inspect", "-f", "{{.State.ExitCode}}", id)).trim()).toBe("0");
      await collectWarnings(service, id);
      await on.dockering("rm", id);
    }
  }

  /**
   * Replaces replicas as Kubernetes does: new replicas of a service are ready before its old ones are stopped. While the
   * old ones stop, the next service's new ones start.
   */
  async function replaceAll(): Promise<void> {
    let ending = Promise.resolve();
    for (const service of services) {
      const [old] = await Promise.all([add(service), ending]);
      ending = end(service, old);
      // Avoids an unhandled rejection. The awaiting code gets the error.
      ending.catch(() => undefined);
    }
    await ending;
  }

  async function submit(ask: Ask): Promise<void> {
    const finished = told.filter(({ event }) => event === "build.finished").length;
    if (submitted.length - finished >= mostUnfinished) return;
    const commands = ["for n in 1 2 3 4 5 6 7 8; do echo line $n; sleep 0.2; done"];
    const driver = { type: "docker", image, workspace: "/work" };
    const manifest = { namespace: "shop", driver, stages: ["test"], jobs: [{ stage: "test", commands }] };
    const build = await ask<Build>("/builds", { manifest: JSON.stringify(manifest) });
    submitted.push(build);
    const hear = ({ event, data }: StreamEvent) => {
      if (event === "output") said.set(build.number, (said.get(build.number) ?? "") + data);
      return event === "end";
    };
    following.push(follow(target, build.output_url, { failures, hear }));
  }

  beforeAll(async () => {
    if ("reason" in tools) throw new Error(tools.reason);
    front = await balancer();
    const PUBLIC_URL = `http://127.0.0.1:${front.port}`;
    const settings = { ...tools.env, PUBLIC_URL, STOP_DELAY, CI_GUARD_ALLOW: "receiver", RUNNER_DRAIN: "2min" };
    on = install(tools.command, { ...settings, CI_PORT: String(await freePort()) }, "compose.rolling.yaml");
    target = { origin: PUBLIC_URL, token: on.secrets.CI_ADMIN_TOKEN! };
    // The first service starts with MongoDB and NATS, in order. The others need no order.
    await up(...scale(replicas)("namespaces"), "namespaces", "receiver");
    await up("--no-deps", ...services.flatMap(scale(replicas)), ...services);
    for (const service of services) await ready(service);
  }, 300_000);
  afterAll(async () => {
    await front?.[Symbol.asyncDispose]();
    on?.remove();
  }, 60_000);

  it("replaces every replica without a failed request, a lost or repeated build, or a missed webhook", async () => {
    await using setUp = client(target);
    await setUp.ask("/namespaces", { name: "shop" });
    await setUp.ask("/n/admin/shop/-/webhooks", { payload_url: "http://receiver:9090/", events: kinds });
    const [loading, listening] = [new AbortController(), new AbortController()];
    const hear = (one: StreamEvent) => {
      if (one.event) told.push(one);
      return false;
    };
    const events = follow(target, "/n/admin/shop/-/events", { failures, signal: listening.signal, hear });
    const repeat = (what: string, step: (ask: Ask, nth: number) => Promise<unknown>) =>
      repeatedly(what, target, { failures, signal: loading.signal }, step);
    const load = [
      repeat("a variable", (ask, nth) => ask("/variables", { key: `K${nth}`, value: "v" })),
      repeat("a build", submit),
      ...reads.map((path) => repeat(path, (ask) => ask(path))),
    ];
    await replaceAll();
    loading.abort();
    const [variables] = await Promise.all(load);
    await Promise.all(following);
    const each = kinds.flatMap((kind) => submitted.map(({ number }) => `${kind} ${number}`)).sort();
    const once = (seen: readonly string[]) => expect([...seen].sort()).toEqual(each);
    const heard = () => told.filter(({ event }) => kinds.includes(event!));
    await eventually(() => once(heard().map(({ event, data }) => `${event} ${data.number}`)));
    await eventually(async () => once(await delivered()), { everyMs: 500 });
    listening.abort();
    await events;
    for (const id of await idsOf("gateway")) await collectWarnings("gateway", id);
    expect({ failures, warnings: failures.length > 0 ? warnings : [] }).toEqual({ failures: [], warnings: [] });
    expect(submitted.length).toBeGreaterThan(services.length);
    expect(await countVariables(setUp.ask)).toBe(variables);
    for (const { url, number } of submitted) {
      const { status, output } = await setUp.ask<Build>(url);
      expect({ number, status, output: said.get(number) }).toEqual({ number, status: "passed", output });
    }
  }, 600_000);

  /** Returns what the webhook received. A delivery whose confirmation was lost comes again with the same id. */
  async function delivered(): Promise<string[]> {
    const lines = (await on.composing("logs", "--no-log-prefix", "receiver")).trim().split("\n");
    const all = lines.map((line) => JSON.parse(line)).filter(({ headers }) => headers["x-service-ci-event"]);
    const what = all.map(({ headers, body }) => [
      headers["x-service-ci-delivery"],
      `${headers["x-service-ci-event"]} ${JSON.parse(body).number}`,
    ]);
    return [...new Map(what as [string, string][]).values()];
  }

  async function countVariables(ask: Ask): Promise<number> {
    let count = 0;
    for (let page = 1; ; page++) {
      const { length } = await ask<unknown[]>(`/variables?page=${page}`);
      count += length;
      if (length === 0) return count;
    }
  }
}

if ("reason" in tools && !tools.failed) notRun("the replacement of running replicas", tools.reason);
else describe("an installation with several replicas", replacement);
