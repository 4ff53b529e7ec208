import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Api, apiAt } from "@ci/testkit/api";
import { aUser } from "@ci/testkit/builders";
import { created, everything } from "@ci/testkit/constellation";
import { type Processes, type ServiceName, startProcesses, thisTree } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import type { Places } from "./_hostile.js";
import { type HostileRequest, hostileRequests } from "./_hostile-forms.js";
import { placesOf } from "./_hostile-places.js";

// The six services as processes: no hostile input makes anybody wait, or a process grow beyond the chart's limit.

const names = suite();
const patienceMs = 10_000;
/** A slow moment of the machine passes. A slow parser is slow each time. */
const attempts = 5;
let ci: Processes;
let ann: Api;
let innocent: Api;
let places: Places;

async function signUp(): Promise<readonly [Api, string]> {
  const { username } = created(await ci.api.post("/users", aUser()));
  const fields = { name: "test", scope: everything };
  const { secret: token } = created(await ci.api.post(`/users/${username}/tokens`, fields));
  return [apiAt({ publicUrl: ci.origin, origin: ci.origin, token }), username];
}

beforeAll(async () => {
  // In a container, Node.js gives half of the memory to the heap.
  ci = await startProcesses(names, {}, thisTree, (name) => limitOf(name) / 1024 ** 2 / 2);
  [innocent] = await signUp();
  const [api, username] = await signUp();
  ann = api;
  places = await placesOf(ann, username);
});
afterAll(() => ci?.[Symbol.asyncDispose]());

/** Returns the memory limit of a service in the chart. */
function limitOf(name: ServiceName): number {
  const values = readFileSync(join(thisTree, "deploy/helm/service-ci/values.yaml"), "utf8");
  const [, mebibytes] = new RegExp(`^${name}:\\n(?: .*\\n|\\n)*?  resources: .*limits: \\{ memory: (\\d+)Mi`, "m").exec(
    values,
  )!;
  return Number(mebibytes) * 1024 ** 2;
}

const services: readonly ServiceName[] = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"];
const grown = new Set<ServiceName>();

/** Returns the processes that the last request has made larger than the chart allows. */
function newlyGrown(): ServiceName[] {
  const found = services.filter((name) => !grown.has(name) && ci.peakRssBytes(name) > limitOf(name));
  for (const name of found) grown.add(name);
  return found;
}

async function timed(request: Promise<{ status: number }>) {
  const from = performance.now();
  const { status } = await request;
  return { status, ms: performance.now() - from };
}

/** Sends the request while an innocent user is served. Returns what was wrong. */
async function attempt({ method, path, type, body, byAdmin }: HostileRequest): Promise<string | undefined> {
  const headers: Record<string, string> = type ? { "content-type": type } : {};
  const api = byAdmin ? ci.api : ann;
  const hostile = timed(api.send(method, path(places), { headers, body: body?.() }));
  const beside = await Promise.all([timed(innocent.get("/user")), timed(innocent.get("/namespaces"))]);
  const { status, ms } = await hostile;
  if (status >= 500) return `status ${status}`;
  if (beside.some(({ status }) => status !== 200)) return "the innocent user was not served";
  const waitedMs = Math.max(ms, ...beside.map(({ ms }) => ms));
  return waitedMs > patienceMs ? `somebody waited ${Math.round(waitedMs)} ms` : undefined;
}

test.each(Object.entries(hostileRequests))(
  "hostile %s are answered, nobody waits, and no process exceeds the chart's memory",
  async (_, requests) => {
    const wrong: string[] = [];
    for (const request of requests) {
      let complaint: string | undefined;
      for (let nth = 0; nth < attempts; nth++) {
        complaint = await attempt(request);
        if (!complaint?.includes("waited")) break;
      }
      if (complaint) wrong.push(`${request.title}: ${complaint}`);
      for (const name of newlyGrown()) wrong.push(`${request.title}: ${name} exceeds the chart's limit of memory`);
    }
    expect(wrong).toEqual([]);
    expect(requests.length).toBeGreaterThan(50);
  },
  1_800_000,
);
