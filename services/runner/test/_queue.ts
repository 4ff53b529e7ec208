import { EventEmitter, once } from "node:events";
import { buffer } from "node:stream/consumers";
import { receiveUpload } from "@ci/kit/bytes/upload";
import { createLog } from "@ci/kit/process/log";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import type { Call } from "@ci/kit/rpc/served-call";
import { nextJobs } from "@ci/manifest/next-jobs";
import {
  type ArtifactHeader,
  type Assignment,
  type CacheHeader,
  type FinishJobRequest,
  type FinishJobRequest_Outcome as Outcome,
  type PutTestsRequest,
  QueueServiceDefinition,
  type QueueServiceImplementation,
  type RecordVerdictRequest,
  type TestCounts,
} from "@ci/proto/builds/v1/queue";
import { serveRpc } from "@ci/testkit/identities";
import { installation } from "./_assignment.js";

/** A build in the test queue, with what the runner has reported about it. */
export interface QueuedBuild {
  readonly assignment: Assignment;
  /** The epoch that may write. A test raises it to take the build away from the runner. */
  epoch: number;
  /** The index of the running job, the first one of a parallel stage, or -1 before the claim. */
  jobIndex: number;
  /** The indexes of the running jobs. */
  running: number[];
  /** The output of jobs that run side by side, by index. */
  readonly texts: Map<number, string>;
  /** The size of the output of each job. */
  readonly sizes: Map<number, number>;
  /** How much of `texts` is part of `text`, which has it once a parallel stage has ended. */
  shownLength: number;
  killed: boolean;
  /** The name of the user who killed the build. */
  killedBy?: string;
  /** Whether the runner has given the build back. It is not assigned again. */
  returned: boolean;
  verdict?: RecordVerdictRequest;
  final?: Outcome;
  finishedAt?: number;
  text: string;
  readonly outcomes: Outcome[];
  /** The exit code and the reason of each reported job. */
  readonly ends: (readonly [exitCode: number | undefined, reason: string | undefined])[];
  readonly placed: number[];
  readonly artifacts: { header: ArtifactHeader; content: Buffer }[];
  readonly tests: PutTestsRequest[];
  readonly counts: (TestCounts | undefined)[];
  renewals: number;
  /** How many renewals get no answer, as from a process that hangs. */
  ignoredRenewals: number;
}

/** Long enough that a busy machine does not lose the lease. */
export const usualTimes = { leaseMs: 600_000, renewEveryMs: 5_000 };

export interface TestQueue extends AsyncDisposable {
  readonly address: string;
  readonly builds: Map<number, QueuedBuild>;
  /** The contents of objects by their ids. */
  readonly objects: Map<number, string>;
  /** What was stored of caches, compressed; the id is the index. */
  readonly caches: { header: CacheHeader; content: Buffer }[];
  /** Names of all requests, whether they succeeded or not. */
  readonly calls: string[];
  readonly times: { leaseMs: number; renewEveryMs: number };
  /** Whether builds wait for the end of others. */
  heldBack: boolean;
  /** Whether each claim says that its build was the last one. */
  wasLast: boolean;
  /** When set, every request fails with this. */
  failure?: Fault;
  /** When set, every request about caches fails with this. */
  cacheFailure?: Fault | undefined;
  /** How many further requests about caches fail as if the service died: after the entry is stored, or a part of it is sent. */
  cacheOutages: number;
  /** While set, contents of caches wait until it aborts. */
  cacheStall?: AbortSignal;
  /** The service knows one format of caches only. */
  isOlder?: boolean;
  submit(assignment: Assignment): QueuedBuild;
  /** Calls the listener on each request with this name. */
  onCall(call: string, listener: () => void): void;
}

const { recordVerdict: _, ...olderMethods } = QueueServiceDefinition.methods;

export const startOlderQueue = () => startQueue(0, olderMethods as never);

/** Serves an in-memory queue and objects on a real port, with the rules of queue.proto and no more. */
export async function startQueue(port = 0, methods = QueueServiceDefinition.methods): Promise<TestQueue> {
  const builds = new Map<number, QueuedBuild>();
  const objects = new Map<number, string>();
  const caches: TestQueue["caches"] = [];
  const calls: string[] = [];
  const listeners = new EventEmitter();
  const times = { ...usualTimes };

  function recordCall(call: string): void {
    calls.push(call);
    listeners.emit(call);
    if (queue.failure) throw queue.failure;
  }

  function leasedBuild(call: string, request: { buildId: number; epoch: number }): QueuedBuild {
    recordCall(call);
    const build = builds.get(request.buildId);
    if (!build) throw notFound();
    if (build.epoch !== request.epoch) throw new Fault("conflict", "old epoch");
    return build;
  }

  interface Piece {
    readonly jobId: number;
    readonly offset: number;
    readonly jobOffset?: number | undefined;
    readonly text: string;
  }

  function endCacheCall(): void {
    if (queue.cacheOutages === 0) return;
    queue.cacheOutages--;
    throw new Fault("unavailable", "Service unavailable");
  }

  function append(build: QueuedBuild, { jobId, offset, jobOffset, text }: Piece): void {
    const index = build.assignment.jobs.findIndex(({ id }) => id === jobId);
    const own = build.sizes.get(index) ?? 0;
    if (build.running.length > 1 || jobOffset !== undefined) {
      if (jobOffset !== own) throw new Fault("conflict", `job ${jobId} continues at ${own}, not ${jobOffset}`);
      build.texts.set(index, (build.texts.get(index) ?? "") + text);
      build.sizes.set(index, own + Buffer.byteLength(text));
      return;
    }
    const end = Buffer.byteLength(build.text);
    if (offset > end) throw new Fault("invalid", `a gap before ${offset}, the text ends at ${end}`);
    if (Buffer.byteLength(text) > 256 * 1024) throw new Fault("invalid", "too large");
    if (offset !== end) return;
    build.text += text;
    build.sizes.set(index, own + Buffer.byteLength(text));
  }

  function startNext(build: QueuedBuild, index: number): void {
    const inOrder = [...build.texts]
      .sort(([a], [b]) => a - b)
      .map(([, text]) => text)
      .join("");
    build.text += inOrder.slice(build.shownLength);
    build.shownLength = inOrder.length;
    const worst = (["timed_out", "killed", "failed"] as const).find((one) => build.outcomes.includes(one));
    const next = nextJobs(build.assignment.jobs, index, worst !== undefined);
    build.running = worst === "killed" ? [] : next;
    if (build.running.length > 0) build.jobIndex = next[0]!;
    else Object.assign(build, { final: worst ?? "passed", finishedAt: performance.now() });
  }

  type End = Piece & Pick<FinishJobRequest, "outcome" | "placedObjectIds"> & Partial<FinishJobRequest>;

  function finish(build: QueuedBuild, end: End): void {
    const index = build.assignment.jobs.findIndex(({ id }) => id === end.jobId);
    if (!build.running.includes(index) || build.final) return;
    append(build, end);
    build.outcomes.push(end.outcome);
    build.ends.push([end.exitCode, end.reason]);
    build.counts.push(end.tests);
    build.placed.push(...end.placedObjectIds);
    build.running = build.running.filter((one) => one !== index);
    if (build.running.length === 0) startNext(build, index);
  }

  const handlers: QueueServiceImplementation<Call> = {
    async claimBuild({ drivers }) {
      recordCall("claimBuild");
      const next = [...builds.values()].find(
        (queued) => queued.jobIndex < 0 && drivers.includes(queued.assignment.driver!.type),
      );
      if (next) Object.assign(next, { jobIndex: 0, running: [0] });
      return { ...times, assignment: next?.assignment, heldBack: queue.heldBack, wasLast: queue.wasLast };
    },
    async renewLease(request) {
      const build = leasedBuild("renewLease", request);
      build.renewals++;
      if (build.ignoredRenewals-- > 0) await new Promise(() => undefined);
      return { kill: build.killed, killedBy: build.killedBy };
    },
    async appendOutput(request) {
      const build = leasedBuild("appendOutput", request);
      append(build, request);
      return {};
    },
    async putArtifact(parts) {
      let header: ArtifactHeader | undefined;
      const content: Uint8Array[] = [];
      for await (const { part } of parts)
        if (part?.$case === "header") header = part.value;
        else if (part?.$case === "chunk") content.push(part.value);
      leasedBuild("putArtifact", header!).artifacts.push({ header: header!, content: Buffer.concat(content) });
      return { size: 1 };
    },
    async finishJob(request) {
      const build = leasedBuild("finishJob", request);
      if (request.prepared && !build.assignment.takesPrepared) throw new Fault("invalid", "too new");
      if (request.prepared) finish(build, { ...request.prepared, outcome: "passed" });
      finish(build, request);
      return { final: build.final !== undefined };
    },
    async recordVerdict(request) {
      const build = leasedBuild("recordVerdict", request);
      const index = build.assignment.jobs.findIndex(({ id }) => id === request.jobId);
      if (!build.running.includes(index)) throw new Fault("conflict", `job ${request.jobId} is not running`);
      build.verdict = request;
      return {};
    },
    async returnBuild(request) {
      const build = leasedBuild("returnBuild", request);
      build.returned = true;
      build.epoch++;
      return {};
    },
    async *readAssignedObject(request) {
      const { assignment } = leasedBuild("readAssignedObject", request);
      const content = objects.get(assignment.objects.find(({ id }) => id === request.id)?.objectId ?? -1);
      if (content === undefined) throw notFound();
      for (let at = 0; at < content.length; at += 3) yield { chunk: Buffer.from(content.slice(at, at + 3)) };
    },
    async putTests(request) {
      leasedBuild("putTests", request).tests.push(request);
      return {};
    },
    async findCache(request) {
      leasedBuild("findCache", request);
      if (queue.cacheFailure) throw queue.cacheFailure;
      endCacheCall();
      const ofName = caches.filter(({ header }) => header.name === request.name);
      const exact = ofName.find(({ header }) => header.key === request.key);
      const found = exact ?? ofName.at(-1);
      if (!found) return { exact: false };
      const { size, sha256 } = found.header;
      const { format } = queue.isOlder ? {} : request;
      return { entry: { id: caches.indexOf(found), size, sha256 }, exact: exact !== undefined, format };
    },
    async *readCache(request) {
      leasedBuild("readCache", request);
      const found = caches[request.id];
      if (!found) throw notFound();
      const { cacheStall } = queue;
      if (cacheStall && !cacheStall.aborted) await once(cacheStall, "abort");
      yield { chunk: found.content.subarray(0, 9) };
      endCacheCall();
      yield { chunk: found.content.subarray(9) };
    },
    async putCache(parts) {
      const { header, content } = await receiveUpload(parts);
      leasedBuild("putCache", header);
      if (queue.cacheFailure) throw queue.cacheFailure;
      const all = await buffer(content);
      const stored = !caches.some((one) => one.header.name === header.name && one.header.key === header.key);
      if (stored) caches.push({ header, content: all });
      endCacheCall();
      return { stored, storedSize: all.length };
    },
    async listLeases() {
      recordCall("listLeases");
      return { leases: [], installation };
    },
  };
  const log = createLog("queue", "silent");
  const rpc = await serveRpc({ listen: `127.0.0.1:${port}`, log, graceMs: 50 }, (server) => {
    server.add({ ...QueueServiceDefinition, methods }, handlers);
  });

  const queue: TestQueue = {
    address: `127.0.0.1:${rpc.port}`,
    builds,
    objects,
    caches,
    calls,
    times,
    ...{ heldBack: false, wasLast: false, cacheOutages: 0 },
    onCall: (call, listener) => void listeners.on(call, listener),
    submit(assignment) {
      const { epoch } = assignment;
      const build: QueuedBuild = {
        ...{ assignment, epoch, jobIndex: -1, killed: false, returned: false, renewals: 0, ignoredRenewals: 0 },
        ...{ running: [], shownLength: 0, texts: new Map(), sizes: new Map(), text: "" },
        ...{ outcomes: [], ends: [], placed: [], artifacts: [], tests: [], counts: [] },
      };
      builds.set(assignment.buildId, build);
      return build;
    },
    [Symbol.asyncDispose]: () => rpc[Symbol.asyncDispose](),
  };
  return queue;
}
