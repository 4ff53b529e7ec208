import { createInterface } from "node:readline";
import { finished } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type Docker from "dockerode";
import { withTimeout } from "../../endings/ended.js";
import { HostTrouble } from "../../endings/errors.js";
import type { LocalImage } from "./images/local-image.js";

/** The engine writes the labels of a container, and so those of its image, over the attributes of an event. */
const codeAttribute = "exitCode";

export interface Death {
  readonly code: number | undefined;
  /** The engine was told to kill the container, or shuts down. */
  readonly killed: boolean;
}

export interface Watched {
  /** Never rejects; stays pending if the engine no longer knows of the end when the stream is open again. */
  readonly death: Promise<Death>;
  /** Reports whether the engine killed a container that has ended. Throws HostTrouble if it does not say. */
  wasKilled(): Promise<boolean>;
}

/** Leaves the code out if the labels of the image hide it. */
export const watchedOf = ({ labels }: LocalImage, watched?: Watched): Watched | undefined =>
  watched && {
    ...watched,
    death: watched.death.then((death) => (codeAttribute in labels ? { ...death, code: undefined } : death)),
  };

export interface Deaths extends Disposable {
  of(containerId: string): Watched;
}

interface ContainerEvent {
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
}

const toldMs = 1_000;
const reopenMs = 300;
const maxUntoldMs = fixedLimit({
  max: 20_000,
  unit: "ms",
  about: "how long the end of a job waits for an engine that has stopped sending its events",
  effect: "the build is given back",
});
/** A proxy's clock may say the time of the response. */
const earlierS = 60;
const answerMs = 10_000;

type Events = NodeJS.ReadableStream & { readonly headers: { readonly date?: string }; destroy(): void };

/** Through a proxy, a stream that breaks off may end in the middle of a line. Podman ends such a stream with an error in JSON. */
function eventIn(line: string): ContainerEvent | undefined {
  try {
    const event = JSON.parse(line) as Partial<ContainerEvent> | null;
    return event?.Actor?.Attributes && (event as ContainerEvent);
  } catch {
    return undefined;
  }
}

interface Heard {
  readonly isOpen: boolean;
  /** How many streams of events the engine has opened. */
  readonly streams: number;
}

/** An open stream tells within a second what has happened. A stream that has ended has told what it knew. */
async function wasKilled(death: Promise<Death>, heard: Heard, toldWithinMs: number): Promise<boolean> {
  const [first, until] = [heard.streams, performance.now() + maxUntoldMs];
  while (performance.now() < until) {
    const { isOpen, streams } = heard;
    const told = await Promise.race([death, delay(toldWithinMs, undefined, { ref: false })]);
    if (told) return told.killed;
    if ((isOpen && heard.isOpen && heard.streams === streams) || heard.streams >= first + 2) return false;
  }
  throw new HostTrouble("Docker Engine does not say how the container ended");
}

/**
 * Watches kills and exits of containers with these labels. The engine announces an exit before it tears down network and file
 * system, and answers `wait` only afterwards: a fifth of a short job later.
 */
export async function watchDeaths(
  engine: Docker,
  labels: Readonly<Record<string, string>>,
  { reopenWithinMs = answerMs, toldWithinMs = toldMs } = {},
): Promise<Deaths> {
  const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const filters = { type: ["container"], event: ["kill", "die"], label };
  const over = new AbortController();
  const open = async (abortSignal: AbortSignal, missed: { readonly since?: number } = {}) =>
    (await engine.getEvents({ filters: JSON.stringify(filters) as never, ...missed, abortSignal })) as Events;
  let stream = await open(over.signal);
  const heard = { isOpen: true, streams: 1 };
  const openedAt = Date.parse(stream.headers.date ?? "");
  const missed = Number.isNaN(openedAt) ? {} : { since: openedAt / 1_000 - earlierS };
  const killed = new Set<string>();
  const deaths = new Map<string, Death>();
  const waiting = new Map<string, (death: Death) => void>();
  /** What these printed may have broken off together with the stream: their exit code is no result. */
  const broken = new Set<string>();
  function note(line: string): void {
    const event = eventIn(line);
    if (!event) return;
    const { ID, Attributes } = event.Actor;
    if (event.Action === "kill") return void killed.add(ID);
    if (deaths.has(ID)) return;
    const text = Attributes[codeAttribute] ?? "";
    const code = /^\d{1,3}$/.test(text) && !broken.has(ID) ? Number(text) : undefined;
    const death = { code, killed: killed.has(ID) };
    deaths.set(ID, death);
    waiting.get(ID)?.(death);
  }
  function read(): void {
    stream.on("error", () => undefined);
    const lines = createInterface({ input: stream });
    // An unhandled error of the stream once ended the runner's process.
    lines.on("error", () => undefined);
    lines.on("line", note);
    finished(stream, { writable: false }, () => void reopen());
  }
  async function openAgain(): Promise<Events | undefined> {
    using time = withTimeout(reopenWithinMs, over.signal);
    return await open(time.signal, missed).catch(() => undefined);
  }
  async function reopen(): Promise<void> {
    const { signal } = over;
    heard.isOpen = false;
    for (const id of waiting.keys()) broken.add(id);
    while (!signal.aborted) {
      await delay(reopenMs, undefined, { ref: false, signal }).catch(() => undefined);
      const opened = signal.aborted ? undefined : await openAgain();
      if (!opened) continue;
      stream = opened;
      heard.isOpen = true;
      heard.streams++;
      return signal.aborted ? stream.destroy() : read();
    }
  }
  read();
  return {
    of(id) {
      const known = deaths.get(id);
      const death = known ? Promise.resolve(known) : new Promise<Death>((resolve) => waiting.set(id, resolve));
      return { death, wasKilled: () => wasKilled(death, heard, toldWithinMs) };
    },
    [Symbol.dispose]() {
      over.abort();
      stream.destroy();
    },
  };
}
