import { EventEmitter } from "node:events";
import { createLog } from "@ci/kit/process/log";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import type { Call } from "@ci/kit/rpc/rpc";
import {
  type ArtifactHeader,
  type Assignment,
  type FinishJobRequest_Outcome as Outcome,
  QueueServiceDefinition,
  type QueueServiceImplementation,
} from "@ci/proto/builds/v1/queue";
import { serveRpc } from "@ci/testkit/identities";

/** A build in the test queue, and what a runner has reported about it. */
export interface QueuedBuild {
  readonly assignment: Assignment;
  /** The epoch that may write; a test that raises it takes the build away. */
  epoch: number;
  /** The running job; -1 before the claim. */
  at: number;
  killed: boolean;
  /** Who asked for the kill. */
  killedBy?: string;
  /** Whether its runner gave it back; it is not assigned again. */
  returned: boolean;
  final?: Outcome;
  finishedAt?: number;
  text: string;
  readonly outcomes: Outcome[];
  readonly placed: number[];
  readonly artifacts: { header: ArtifactHeader; content: Buffer }[];
  renewals: number;
}

export const installation = "c1c1";

let lastId = Math.floor(Math.random() * 1_000_000_000);
export const newId = () => ++lastId;

/** An assignment with valid defaults; each entry of `jobs` is the commands of one job. */
export function anAssignment(more: Partial<Assignment> = {}, ...jobs: (readonly string[])[]): Assignment {
  const aJob = (name: string, commands: readonly string[]) => ({
    id: newId(),
    name,
    stage: "s",
    commands,
    artifacts: [],
    mayFail: false,
  });
  return {
    buildId: newId(),
    epoch: 1,
    userId: 1,
    number: 1,
    driver: { type: "os", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 0 },
    jobs: [aJob("create-driver", []), ...jobs.map((commands, index) => aJob(`job.${index + 1}`, commands))],
    objects: [],
    variables: [],
    keys: [],
    outputBytes: 0,
    buildTimeoutMs: 600_000,
    prepareTimeoutMs: 300_000,
    outputLimitBytes: 16 * 1024 ** 2,
    artifactLimitBytes: 50 * 1024 ** 2,
    namespaceOnly: false,
    installation,
    ...more,
  };
}

/** Long enough that a stalling machine does not lose it. */
export const usualTimes = { leaseMs: 600_000, renewEveryMs: 5_000 };

export interface TestQueue extends AsyncDisposable {
  readonly address: string;
  readonly builds: Map<number, QueuedBuild>;
  /** The contents of objects by their ids. */
  readonly objects: Map<number, string>;
  /** Names of all requests, whether they succeeded or not. */
  readonly calls: string[];
  readonly times: { leaseMs: number; renewEveryMs: number };
  /** When set, every request fails with this. */
  failure?: Fault;
  submit(assignment: Assignment): QueuedBuild;
  /** Called on each request. */
  onOutput(call: string, back: () => void): void;
}

/** Serves an in-memory queue and objects on a real port, with the rules of queue.proto and no more. */
export async function startQueue(port = 0): Promise<TestQueue> {
  const builds = new Map<number, QueuedBuild>();
  const objects = new Map<number, string>();
  const calls: string[] = [];
  const heard = new EventEmitter();
  const times = { ...usualTimes };

  function asked(call: string): void {
    calls.push(call);
    heard.emit(call);
    if (queue.failure) throw queue.failure;
  }

  function held(call: string, ask: { buildId: number; epoch: number }): QueuedBuild {
    asked(call);
    const build = builds.get(ask.buildId);
    if (!build) throw notFound();
    if (build.epoch !== ask.epoch) throw new Fault("conflict", "old epoch");
    return build;
  }

  function append(build: QueuedBuild, offset: number, text: string): void {
    const end = Buffer.byteLength(build.text);
    if (offset > end) throw new Fault("invalid", `a gap before ${offset}, the text ends at ${end}`);
    if (Buffer.byteLength(text) > 256 * 1024) throw new Fault("invalid", "too large");
    if (offset === end) build.text += text;
  }

  const handlers: QueueServiceImplementation<Call> = {
    async claimBuild({ drivers }) {
      asked("claimBuild");
      const next = [...builds.values()].find((one) => one.at < 0 && drivers.includes(one.assignment.driver!.type));
      if (next) next.at = 0;
      return { ...times, assignment: next?.assignment };
    },
    async renewLease(ask) {
      const build = held("renewLease", ask);
      build.renewals++;
      return { kill: build.killed, killedBy: build.killedBy };
    },
    async appendOutput(ask) {
      const build = held("appendOutput", ask);
      append(build, ask.offset, ask.text);
      return {};
    },
    async putArtifact(parts) {
      let header: ArtifactHeader | undefined;
      const content: Uint8Array[] = [];
      for await (const { part } of parts)
        if (part?.$case === "header") header = part.value;
        else if (part?.$case === "chunk") content.push(part.value);
      held("putArtifact", header!).artifacts.push({ header: header!, content: Buffer.concat(content) });
      return { size: 1 };
    },
    async finishJob(ask) {
      const build = held("finishJob", ask);
      const index = build.assignment.jobs.findIndex(({ id }) => id === ask.jobId);
      if (index === build.at && !build.final) {
        append(build, ask.offset, ask.text);
        build.outcomes.push(ask.outcome);
        build.placed.push(...ask.placedObjectIds);
        const over = ask.outcome !== "passed" || ++build.at === build.assignment.jobs.length;
        if (over) build.final = ask.outcome;
        if (over) build.finishedAt = performance.now();
      }
      return { final: build.final !== undefined };
    },
    async returnBuild(ask) {
      const build = held("returnBuild", ask);
      build.returned = true;
      build.epoch++;
      return {};
    },
    async *readAssignedObject(ask) {
      const { assignment } = held("readAssignedObject", ask);
      const content = objects.get(assignment.objects.find(({ id }) => id === ask.id)?.objectId ?? -1);
      if (content === undefined) throw notFound();
      for (let at = 0; at < content.length; at += 3) yield { chunk: Buffer.from(content.slice(at, at + 3)) };
    },
    async listLeases() {
      asked("listLeases");
      return { leases: [], installation };
    },
  };

  const log = createLog("queue", "silent");
  const rpc = await serveRpc({ listen: `127.0.0.1:${port}`, log, graceMs: 50 }, (server) => {
    server.add(QueueServiceDefinition, handlers);
  });

  const queue: TestQueue = {
    address: `127.0.0.1:${rpc.port}`,
    builds,
    objects,
    calls,
    times,
    onOutput: (call, back) => void heard.on(call, back),
    submit(assignment) {
      const { epoch } = assignment;
      const build: QueuedBuild = {
        ...{ assignment, epoch, at: -1, killed: false, returned: false, renewals: 0 },
        ...{ text: "", outcomes: [], placed: [], artifacts: [] },
      };
      builds.set(assignment.buildId, build);
      return build;
    },
    [Symbol.asyncDispose]: () => rpc[Symbol.asyncDispose](),
  };
  return queue;
}
