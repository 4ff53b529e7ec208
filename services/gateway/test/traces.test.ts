import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Collector, collector, type ReportedSpan } from "@ci/testkit/collector";
import { made } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { sharedFolder } from "@ci/testkit/shared-folder";
import { suite } from "@ci/testkit/suite";

const names = suite();
const dir = sharedFolder("ci-traces-");
const mayEnd = join(dir, "may-end");
const outside = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
let collected: Collector;
let hook: Receiver;
let on: Processes;
let spans: readonly ReportedSpan[];

beforeAll(async () => {
  [collected, hook] = await Promise.all([collector(), receiver()]);
  on = await startProcesses(names, { ...collected.settings, LOG_LEVEL: "debug" });
  await runBuild();
});
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  await collected?.[Symbol.asyncDispose]();
  await hook?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

/** A build of a traced client, in a new namespace with a webhook for its end. */
async function runBuild(): Promise<void> {
  const script = `while [ ! -e ${mayEnd} ]; do sleep 0.05; done; echo done > out.txt`;
  const job = { stage: "test", commands: [script], artifacts: ["out.txt"] };
  const manifest = JSON.stringify({ namespace: "fresh/child", driver: { type: "os" }, stages: ["test"], jobs: [job] });
  const traceparent = `00-${outside.traceId}-${outside.spanId}-01`;
  const headers = { traceparent, "x-request-id": "of-the-client" };
  const build = made(await on.api.send("POST", "/builds", { json: { manifest }, headers }));
  made(await on.api.post("/n/admin/fresh/child/-/webhooks", { payload_url: hook.url, events: ["build.finished"] }));
  writeFileSync(mayEnd, "");
  await eventually(async () => expect((await on.api.get(build.url)).json.status).toBe("passed"));
  await eventually(() => expect(hook.requests).toHaveLength(1));
  // Processes export separately, and parents before children.
  await eventually(() => {
    const ours = collected.spans().filter(({ traceId }) => traceId === outside.traceId);
    for (const [service, name] of lasts) expect(ours).toContainEqual(expect.objectContaining({ service, name }));
    const known = new Set([outside.spanId, ...ours.map(({ spanId }) => spanId)]);
    expect(ours.filter(({ parentSpanId = "" }) => !known.has(parentSpanId))).toEqual([]);
  });
  spans = collected.spans();
}

/** The last spans of a build. */
const lasts = [
  ["webhooks", "attempt"],
  ["images", "images namespaces"],
  ["runner", "build"],
] as const;

const inTrace = (service: string, name: string) =>
  collected.spans().filter((one) => one.service === service && one.name === name && one.traceId === outside.traceId);

const one = (service: string, name: string, where: Record<string, unknown> = {}): ReportedSpan => {
  const found = inTrace(service, name).filter(({ attributes }) =>
    Object.entries(where).every(([key, value]) => attributes[key] === value),
  );
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!;
};

/** The services and names from a span up to the client's request. */
function pathOf(span: ReportedSpan | undefined): string[] {
  if (!span) return [];
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  if (!parent) expect(span.parentSpanId).toBe(outside.spanId);
  return [...pathOf(parent), `${span.service}: ${span.name}`];
}

const submission = ["gateway: POST /builds", "gateway: ci.builds.v1.BuildService/SubmitBuild"];
const submitted = [...submission, "builds: ci.builds.v1.BuildService/SubmitBuild"];
const run = [...submitted, "runner: build"];

it("every service has spans in the trace of a build", () => {
  const services = new Set(spans.filter(({ traceId }) => traceId === outside.traceId).map(({ service }) => service));
  expect([...services].sort()).toEqual(["builds", "gateway", "images", "namespaces", "runner", "webhooks"]);
});

it("the submission calls the namespaces service, whose events reach the images service", () => {
  const enter = "ci.namespaces.v1.NamespaceService/EnterNamespace";
  const entered = [...submitted, `builds: ${enter}`, `namespaces: ${enter}`, "namespaces: send namespaces"];
  const imageSpans = spans.filter(({ service, name }) => service === "images" && name === "images namespaces");
  expect(imageSpans.map(pathOf)).toEqual([[...entered, "images: images namespaces"]]);
});

it("the run continues the trace of the submission: claim, driver, jobs, artifact", () => {
  expect(pathOf(one("builds", "claim"))).toEqual([...submitted, "builds: claim"]);
  expect(pathOf(one("runner", "prepare driver"))).toEqual([...run, "runner: job", "runner: prepare driver"]);
  const job = one("runner", "job", { "ci.job.stage": "test" });
  expect(pathOf(job)).toEqual([...run, "runner: job"]);
  const put = one("builds", "ci.builds.v1.QueueService/PutArtifact");
  expect(pathOf(put)).toEqual([
    ...run,
    "runner: job",
    "runner: artifact",
    `runner: ${put.name}`,
    `builds: ${put.name}`,
  ]);
  expect(spans.find(({ spanId }) => spanId === one("runner", "artifact").parentSpanId)).toEqual(job);
});

it("the delivery of the build's end belongs to the trace, down to the attempt", () => {
  const finish = "ci.builds.v1.QueueService/FinishJob";
  const ended = [...run, `runner: ${finish}`, `builds: ${finish}`, "builds: send build.finished"];
  expect(pathOf(one("webhooks", "attempt"))).toEqual([
    ...ended,
    "webhooks: webhooks build.finished",
    "webhooks: attempt",
  ]);
  expect(one("webhooks", "attempt").attributes).toMatchObject({ "http.response.status_code": 200 });
  // The contract fixes what outside receivers are sent.
  expect(hook.requests[0]!.headers).not.toHaveProperty("traceparent");
});

it("commands of MongoDB are children of the spans that sent them", () => {
  const submit = one("builds", "ci.builds.v1.BuildService/SubmitBuild");
  const insert = spans.filter(({ attributes, parentSpanId }) => {
    const collection = attributes["db.mongodb.collection"] ?? attributes["db.collection.name"];
    return collection === "builds" && parentSpanId === submit.spanId;
  });
  expect(insert.length).toBeGreaterThan(0);
});

it("polls, renewals and probes make no traces, and output makes no spans", () => {
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined).map(({ name }) => name);
  expect(new Set(roots.filter((name) => !/^(GET|POST) \//.test(name)))).toEqual(new Set());
  expect(spans.filter(({ name }) => /AppendOutput|RenewLease|ClaimBuild/.test(name))).toEqual([]);
});

it("log lines name the request, the trace and the build, also in the runner", () => {
  const lines = (service: "gateway" | "builds" | "runner" | "namespaces") =>
    on
      .said(service)
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  // Output arrives through a pipe, in pieces.
  return eventually(() => {
    const ours = { requestId: "of-the-client", traceId: outside.traceId };
    expect(lines("gateway")).toContainEqual(expect.objectContaining({ ...ours, msg: "request", route: "/builds" }));
    expect(lines("namespaces")).toContainEqual(expect.objectContaining({ ...ours, msg: "call" }));
    const { "ci.build": build } = one("runner", "build").attributes;
    const call = (method: string) => ({ ...ours, msg: "call", build: Number(build), method });
    for (const method of ["BuildService/SubmitBuild", "QueueService/FinishJob"])
      expect(lines("builds")).toContainEqual(expect.objectContaining(call(`/ci.builds.v1.${method}`)));
    const ended = { requestId: ours.requestId, msg: "build ended", build: Number(build) };
    expect(lines("runner")).toContainEqual(expect.objectContaining(ended));
    for (const service of ["gateway", "builds", "namespaces"] as const)
      for (const line of lines(service).filter(({ msg }) => msg === "call" || msg === "request"))
        expect(line).toHaveProperty("requestId");
  });
});

it("spans that end with their process are reported", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, authorization: `Bearer ${on.token}` };
  const stream = await fetch(`${on.origin}/n/admin/fresh/child/-/events`, { headers });
  expect(stream.status).toBe(200);
  await on.stop("gateway");
  const reported = collected.spans().filter((span) => span.traceId === traceId);
  expect(reported.map(({ name }) => name)).toContain("GET /n/:username/:path/-/events");
});
