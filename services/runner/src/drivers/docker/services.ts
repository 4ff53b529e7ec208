import { setTimeout as delay } from "node:timers/promises";
import { abortable } from "@ci/kit/bytes/chunked";
import { durationText } from "@ci/kit/process/setting-types";
import { Fault } from "@ci/kit/rpc/fault";
import type Docker from "dockerode";
import type { Service } from "../../driver.js";
import { Ended, raceAbort, withTimeout } from "../../endings/ended.js";
import { type ContainerPlan, serviceContainer } from "./container.js";
import type { Quotas } from "./disk/quotas.js";
import { engineCall, refusedWith } from "./engine.js";
import { payloads } from "./frames.js";
import { checkKilled } from "./run-container.js";
import type { Surroundings } from "./surroundings.js";

export interface ServicesOptions extends Pick<ContainerPlan, "network" | "labels" | "limits"> {
  readonly quotas: Quotas;
  readonly services: readonly Service[];
  readonly readyMs: number;
  readonly watched: Surroundings["watched"];
  /** Returns the id of an image, which it pulls if necessary. */
  readonly usable: (image: string) => Promise<string>;
  readonly say: (line: string) => void;
}

export interface StartedService {
  readonly name: string;
  readonly container: Docker.Container;
}

const lookEveryMs = 500;
const shownLines = 20;
const shownBytes = 2_048;

/** After a cut, the first line may begin with the rest of a masked value. */
function wholeLines(printed: Buffer): string {
  const text = printed.toString().trim();
  return printed.length < shownBytes ? text : text.slice(text.indexOf("\n") + 1 || text.length);
}

interface Check {
  readonly command: string;
  /** What the newest check that printed something has printed, at least its end. */
  printed: Buffer;
}

/** Runs the service's own check. A check that hangs is given up with the service. */
async function passes(container: Docker.Container, checking: Check, signal: AbortSignal): Promise<boolean> {
  const { command } = checking;
  const check = await engineCall(
    container.exec({ Cmd: ["/bin/sh", "-c", command], AttachStdout: true, AttachStderr: true }),
  );
  const stream = await engineCall(check.start({}));
  let own = Buffer.alloc(0);
  try {
    for await (const bytes of payloads(abortable(signal, stream as AsyncIterable<Uint8Array>)))
      checking.printed = own = Buffer.concat([own, bytes]).subarray(-shownBytes);
    const { ExitCode } = await engineCall(check.inspect());
    return ExitCode === 0;
  } finally {
    stream.destroy();
  }
}

type Look = "ready" | "not yet" | "ended" | "unhealthy";

/** Runs the check. If the service ends meanwhile, the engine may refuse the check or break it off. */
async function checked(container: Docker.Container, check: Check, signal: AbortSignal): Promise<Look> {
  try {
    return (await passes(container, check, signal)) ? "ready" : "not yet";
  } catch (error) {
    const { State: state } = await engineCall(container.inspect());
    if (state.Running) throw error;
    return "ended";
  }
}

/** A service without a check may end with 0 at once: it may be there only to prepare something. */
async function look(container: Docker.Container, check: Check | undefined, signal: AbortSignal): Promise<Look> {
  const { State: state } = await engineCall(container.inspect());
  if (!state.Running) return !check && state.ExitCode === 0 && !state.Health ? "ready" : "ended";
  if (check) return checked(container, check, signal);
  const health = state.Health?.Status ?? "none";
  if (health === "unhealthy") return health;
  return health === "starting" ? "not yet" : "ready";
}

async function becameReady(container: Docker.Container, check: Check | undefined, signal: AbortSignal): Promise<Look> {
  for (;;) {
    const now = await look(container, check, signal);
    if (now !== "not yet") return now;
    await delay(lookEveryMs, undefined, { signal });
  }
}

/** Yields the end of what a container has printed. */
export async function* printed(container: Docker.Container, signal: AbortSignal, tail?: number) {
  const options = { stdout: true, stderr: true, follow: false, tail, abortSignal: signal } as const;
  const log = (await engineCall(container.logs(options))) as unknown as Uint8Array;
  yield* payloads(
    abortable(
      signal,
      (async function* () {
        yield log;
      })(),
    ),
  );
}

async function sayEnd(container: Docker.Container, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const pieces: Uint8Array[] = [];
  for await (const piece of printed(container, signal, shownLines)) pieces.push(piece);
  const text = Buffer.concat(pieces).toString().trimEnd();
  if (text !== "") say(text);
}

const whyNot = (name: string, found: Look | "late", readyMs: number): string => {
  if (found === "late") return `Service ${name} did not become ready within ${durationText(readyMs)}`;
  if (found === "unhealthy") return `Service ${name} is unhealthy, says the health check of its image`;
  return `Service ${name} ended before it was ready`;
};

async function waitFor(
  service: Service,
  container: Docker.Container,
  { readyMs, say, watched }: ServicesOptions,
  signal: AbortSignal,
): Promise<void> {
  using time = withTimeout(readyMs, signal);
  const check = service.ready === undefined ? undefined : { command: service.ready, printed: Buffer.alloc(0) };
  const found = await becameReady(container, check, time.signal).catch((error) => {
    if (signal.aborted || !time.signal.aborted) throw error;
    return "late" as const;
  });
  if (found === "ready") return;
  if (found === "ended") await raceAbort(signal, checkKilled(watched(container)));
  const reason = check && wholeLines(check.printed);
  if (found === "late" && reason) say(`The check of service ${service.name} said: ${reason}`);
  await sayEnd(container, say, signal);
  throw new Fault("precondition", whyNot(service.name, found, readyMs));
}

const cannotRun = ({ name, image }: Service) =>
  refusedWith(`The container engine cannot run service ${name} from image ${image}; the runner's log says why`);

async function created(service: Service, options: ServicesOptions): Promise<Docker.Container> {
  const { quotas, usable, say, watched: _, ...plan } = options;
  const imageId = await usable(service.image);
  say(`Starting service ${service.name} from image ${service.image} (${imageId})`);
  const container = serviceContainer({ ...plan, service, imageId });
  return quotas.container(container, plan.limits.diskBytes).catch(cannotRun(service));
}

/**
 * Starts the services of a build, and waits until all are ready. `onMade` gets each container before it starts. Throws a
 * Fault, after the last lines of its output, if one does not become ready.
 */
export async function startServices(
  options: ServicesOptions,
  onMade: (service: StartedService) => void,
  signal: AbortSignal,
): Promise<void> {
  const all: { service: Service; container: Docker.Container }[] = [];
  for (const service of options.services) {
    const container = await created(service, options);
    onMade({ name: service.name, container });
    signal.throwIfAborted();
    await engineCall(container.start()).catch(cannotRun(service));
    all.push({ service, container });
  }
  const others = new AbortController();
  const until = AbortSignal.any([signal, others.signal]);
  const waiting = all.map(({ service, container }) => waitFor(service, container, options, until));
  try {
    await raceAbort(signal, Promise.all(waiting));
  } finally {
    // One that fails ends the wait for the others.
    others.abort(new Ended("lost"));
    await Promise.allSettled(waiting);
  }
}
