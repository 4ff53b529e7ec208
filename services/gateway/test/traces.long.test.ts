import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Collector, collector, type ReportedSpan } from "@ci/testkit/collector";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { sharedFolder } from "@ci/testkit/shared-folder";
import { suite } from "@ci/testkit/suite";

const names = suite();
const dir = sharedFolder("ci-traces-");
const mayEnd = join(dir, "may-end");
const client = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
let collected: Collector;
let hook: Receiver;
let ci: Processes;
let spans: readonly ReportedSpan[];

beforeAll(async () => {
  [collected, hook] = await Promise.all([collector(), receiver()]);
  ci = await startProcesses(names, { ...collected.settings, LOG_LEVEL: "debug" });
  await runBuild();
});
afterAll(async () => {
  await ci?.[Symbol.asyncDispose]();
  await collected?.[Symbol.asyncDispose]();
  await hook?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

/** Runs a build of a traced client in a new namespace with a webhook for the build's end. */
async function runBuild(): Promise<void> {
  const script = `while [ ! -e ${mayEnd} ]; do sleep 0.05; done; echo done > out.txt`;
  const job = { stage: "test", commands: [script], artifacts: ["out.txt"] };
  const manifest = JSON.stringify({ namespace: "fresh/child", driver: { type: "os" }, stages: ["test"], jobs: [job] });
  const traceparent = `00-${client.traceId}-${client.spanId}-01`;
  const headers = { traceparent, "x-request-id": "of-the-client" };
  const build = created(await ci.api.send("POST", "/builds", { json: { manifest }, headers }));
  created(await ci.api.post("/n/admin/fresh/child/-/webhooks", { payload_url: hook.url, events: ["build.finished"] }));
  writeFileSync(mayEnd, "");
  await eventually(async () => expect((await ci.api.get(build.url)).json.status).toBe("passed"));
  await eventually(() => expect(hook.requests).toHaveLength(1));
  // Each process exports its own spans, children before parents.
  await eventually(() => {
    const inClientTrace = collected.spans().filter(({ traceId }) => traceId === client.traceId);
    for (const [service, name] of lastSpans)
      expect(inClientTrace).toContainEqual(expect.objectContaining({ service, name }));
    const knownIds = new Set([client.spanId, ...inClientTrace.map(({ spanId }) => spanId)]);
    expect(inClientTrace.filter(({ parentSpanId = "" }) => !knownIds.has(parentSpanId))).toEqual([]);
  });
  spans = collected.spans();
}

/** The last spans of a build. */
const lastSpans = [
  ["webhooks", "attempt"],
  ["images", "images namespaces"],
  ["runner", "build"],
] as const;

const inTrace = (service: string, name: string) =>
  collected
    .spans()
    .filter(
      (onlySpan) => onlySpan.service === service && onlySpan.name === name && onlySpan.traceId === client.traceId,
    );

const onlySpan = (service: string, name: string, where: Record<string, unknown> = {}): ReportedSpan => {
  const found = inTrace(service, name).filter(({ attributes }) =>
    Object.entries(where).every(([key, value]) => attributes[key] === value),
  );
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!;
};

/** Returns the services and names from the client's request down to a span. */
function pathOf(span: ReportedSpan | undefined): string[] {
  if (!span) return [];
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  if (!parent) expect(span.parentSpanId).toBe(client.spanId);
  return [...pathOf(parent), `${span.service}: ${span.name}`];
}

const submission = ["gateway: POST /builds", "gateway: ci.builds.v1.BuildService/SubmitBuild"];
const submitted = [...submission, "builds: ci.builds.v1.BuildService/SubmitBuild"];
const run = [...submitted, "runner: build"];

it("every service has spans in the trace of a build", () => {
  const services = new Set(spans.filter(({ traceId }) => traceId === client.traceId).map(({ service }) => service));
  expect([...services].sort()).toEqual(["builds", "gateway", "images", "namespaces", "runner", "webhooks"]);
});

it("the submission's trace includes the namespaces service, and the images service that reads its events", () => {
  const enter = "ci.namespaces.v1.NamespaceService/EnterNamespace";
  const entered = [...submitted, `builds: ${enter}`, `namespaces: ${enter}`, "namespaces: send namespaces"];
  const imageSpans = spans.filter(({ service, name }) => service === "images" && name === "images namespaces");
  expect(imageSpans.map(pathOf)).toEqual([[...entered, "images: images namespaces"]]);
});

it("the run's spans continue the trace of the submission: claim, driver, jobs, artifact", () => {
  expect(pathOf(onlySpan("builds", "claim"))).toEqual([...submitted, "builds: claim"]);
  expect(pathOf(onlySpan("runner", "prepare driver"))).toEqual([...run, "runner: job", "runner: prepare driver"]);
  const job = onlySpan("runner", "job", { "ci.job.stage": "test" });
  expect(pathOf(job)).toEqual([...run, "runner: job"]);
  const put = onlySpan("builds", "ci.builds.v1.QueueService/PutArtifact");
  expect(pathOf(put)).toEqual([
    ...run,
    "runner: job",
    "runner: artifact",
    `runner: ${put.name}`,
    `builds: ${put.name}`,
  ]);
  expect(spans.find(({ spanId }) => spanId === onlySpan("runner", "artifact").parentSpanId)).toEqual(job);
});

it("the delivery of build.finished continues the trace down to the attempt", () => {
  const finish = "ci.builds.v1.QueueService/FinishJob";
  const ended = [...run, `runner: ${finish}`, `builds: ${finish}`, "builds: send build.finished"];
  expect(pathOf(onlySpan("webhooks", "attempt"))).toEqual([
    ...ended,
    "webhooks: webhooks build.finished",
    "webhooks: attempt",
  ]);
  expect(onlySpan("webhooks", "attempt").attributes).toMatchObject({ "http.response.status_code": 200 });
  // The contract fixes the headers that receivers get.
  expect(hook.requests[0]!.headers).not.toHaveProperty("traceparent");
});

it("MongoDB commands are children of the spans that sent them", () => {
  const submit = onlySpan("builds", "ci.builds.v1.BuildService/SubmitBuild");
  const insert = spans.filter(({ attributes, parentSpanId }) => {
    const collection = attributes["db.mongodb.collection"] ?? attributes["db.collection.name"];
    return collection === "builds" && parentSpanId === submit.spanId;
  });
  expect(insert.length).toBeGreaterThan(0);
});

it("polls, renewals and probes create no traces, and output creates no spans", () => {
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined).map(({ name }) => name);
  expect(new Set(roots.filter((name) => !/^(GET|POST) \//.test(name)))).toEqual(new Set());
  expect(spans.filter(({ name }) => /AppendOutput|RenewLease|ClaimBuild/.test(name))).toEqual([]);
});

it("log lines name the request, the trace and the build, also in the runner", () => {
  const lines = (service: "gateway" | "builds" | "runner" | "namespaces") =>
    ci
      .logs(service)
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  // Logs arrive through a pipe in pieces.
  return eventually(() => {
    const inClientTrace = { requestId: "of-the-client", traceId: client.traceId };
    expect(lines("gateway")).toContainEqual(
      expect.objectContaining({ ...inClientTrace, msg: "request", route: "/builds" }),
    );
    expect(lines("namespaces")).toContainEqual(expect.objectContaining({ ...inClientTrace, msg: "call" }));
    const { "ci.build": build } = onlySpan("runner", "build").attributes;
    const call = (method: string) => ({ ...inClientTrace, msg: "call", build: Number(build), method });
    for (const method of ["BuildService/SubmitBuild", "QueueService/FinishJob"])
      expect(lines("builds")).toContainEqual(expect.objectContaining(call(`/ci.builds.v1.${method}`)));
    const ended = { requestId: inClientTrace.requestId, msg: "build ended", build: Number(build) };
    expect(lines("runner")).toContainEqual(expect.objectContaining(ended));
    for (const service of ["gateway", "builds", "namespaces"] as const)
      for (const line of lines(service).filter(({ msg }) => msg === "call" || msg === "request"))
        expect(line).toHaveProperty("requestId");
  });
});

it("a stopping process reports its open spans", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, authorization: `Bearer ${ci.token}` };
  const stream = await fetch(`${ci.origin}/n/admin/fresh/child/-/events`, { headers });
  expect(stream.status).toBe(200);
  await ci.stop("gateway");
  const reported = collected.spans().filter((span) => span.traceId === traceId);
  expect(reported.map(({ name }) => name)).toContain("GET /n/:username/:path/-/events");
});
