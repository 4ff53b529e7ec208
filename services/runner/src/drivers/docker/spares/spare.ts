import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type Duplex, PassThrough } from "node:stream";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type Docker from "dockerode";
import { raceAbort, withTimeout } from "../../../endings/ended.js";
import { type ContainerPlan, spareLabel, waitingContainer } from "../container.js";
import { type Death, type Deaths, watchDeaths } from "../deaths.js";
import type { Quotas } from "../disk/quotas.js";
import { engineCall } from "../engine.js";
import { bridgeName } from "../network/network.js";
import type { BuildNetwork, Networks } from "../network/networks.js";
import { removeAll } from "../remove.js";
import { waitFor } from "./hand-over.js";
import { type Pause, pauseSoon } from "./pause.js";

/** What a waiting container has in common with those of the builds that it can serve. */
export type SpareKind = Pick<ContainerPlan, "order" | "imageId" | "script" | "labels" | "limits">;

/** A container whose shell waits for its job, soon paused, with a volume and a network of its own. */
export interface Spare {
  readonly name: string;
  readonly container: Docker.Container;
  readonly volume: string;
  readonly network: BuildNetwork;
  readonly deaths: Deaths;
  readonly output: PassThrough;
  readonly pause: Pause;
  /** Ends the pause and makes the waiting shell run these lines. */
  run(text: string): Promise<void>;
}

export interface SpareOptions {
  readonly engine: Docker;
  readonly quotas: Quotas;
  readonly networks: Networks;
  readonly runner: string;
  readonly readyMs?: number;
  readonly pauseAfterMs?: number;
}

/** The parts of a spare that exist so far. They are removed if the rest fails. */
interface Parts {
  readonly containers: Docker.Container[];
  readonly volumes: Docker.Volume[];
  network?: BuildNetwork;
  deaths?: Deaths;
  output?: PassThrough;
  pause?: Pause;
}

type Started = Pick<Spare, "container" | "output" | "deaths">;

interface Filling {
  readonly name: string;
  readonly kind: SpareKind;
  readonly signal: AbortSignal;
}

async function removeParts(
  { networks }: SpareOptions,
  { deaths, output, pause, network, ...parts }: Parts,
): Promise<void> {
  pause?.[Symbol.dispose]();
  output?.destroy();
  deaths?.[Symbol.dispose]();
  await removeAll({ ...parts, network: async (empty) => network && networks.giveBack(network, empty) });
}

export const newSpareName = (): string => `ci-spare-${randomBytes(4).toString("hex")}`;

const attached = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true } as const;
const readyBytes = 9;
const maxReadyMs = fixedLimit({
  max: 10_000,
  unit: "ms",
  about: "start of the shell of a container that waits for a build",
  effect: "the container is removed, and no other is started ahead with its image for a minute",
});

/** The image is to blame: its shell ended, or said nothing; or its container cannot be paused. */
export class NotReady extends Error {}

async function ready(output: PassThrough, signal: AbortSignal): Promise<void> {
  while (output.read(readyBytes) === null) await once(output, "readable", { signal });
}

/** Passes on what a connection brings, until either side ends. */
function outputOf(stream: Duplex): PassThrough {
  const output = stream.pipe(new PassThrough());
  stream.on("error", (error) => output.destroy(error)).once("close", () => output.end());
  output.on("error", () => undefined).once("close", () => stream.destroy());
  return output;
}

/** Waits for the shell. A stranger made it: soon it must use nothing until its build comes. */
async function startAndWait({ container, output, deaths }: Started, readyMs: number, signal: AbortSignal) {
  await engineCall(container.start());
  using time = withTimeout(readyMs, signal);
  const died = deaths.of(container.id).death.then(gone);
  await raceAbort(time.signal, Promise.race([ready(output, time.signal), died])).catch((error) => {
    signal.throwIfAborted();
    throw time.signal.aborted ? new NotReady(`The shell printed nothing for ${readyMs} ms`) : error;
  });
}

async function fill(options: SpareOptions, { name, kind, signal }: Filling, parts: Parts): Promise<Spare> {
  const { engine, quotas, networks, runner, readyMs = maxReadyMs } = options;
  const labels = { ...kind.labels, [spareLabel]: name };
  const bridge = bridgeName(runner, name.slice(-8));
  const { diskBytes } = kind.limits;
  parts.volumes.push(engine.getVolume(name));
  const network = await networks.take({ name, bridge, labels: kind.labels }, undefined);
  parts.network = network;
  await Promise.all([network.made, quotas.volume({ Name: name, Labels: labels }, diskBytes)]);
  const end = randomBytes(16).toString("hex");
  const plan = { ...kind, labels, job: { id: 0, script: "" }, network: network.name, volume: name, shared: [] };
  const waiting = waitingContainer(plan, waitFor(end, kind.script));
  const container = await quotas.container(waiting, diskBytes);
  parts.containers.push(container);
  const deaths = await engineCall(watchDeaths(engine, { [spareLabel]: name }));
  parts.deaths = deaths;
  const stream = (await engineCall(container.attach(attached))) as unknown as Duplex;
  const output = outputOf(stream);
  parts.output = output;
  signal.throwIfAborted();
  await startAndWait({ container, output, deaths }, readyMs, signal);
  const pause = pauseSoon(container, options.pauseAfterMs);
  parts.pause = pause;
  const run = async (text: string) => {
    stream.write(`${text}${end}\n`);
    await pause.end();
  };
  return { name, container, volume: name, network, deaths, output, pause, run };
}

function gone({ code }: Death): never {
  throw new NotReady(`The container ended with ${code} before it had a job`);
}

/** Starts a container that waits. Leaves nothing of it once the signal has aborted. */
export async function makeSpare(options: SpareOptions, filling: Filling): Promise<Spare> {
  const parts: Parts = { containers: [], volumes: [] };
  try {
    return await fill(options, filling, parts);
  } catch (error) {
    await removeParts(options, parts);
    throw error;
  }
}

/** Removes a spare that no build has used. */
export const removeSpare = (options: SpareOptions, { container, volume, ...spare }: Spare): Promise<void> =>
  removeParts(options, { ...spare, containers: [container], volumes: [options.engine.getVolume(volume)] });
