import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type Duplex, PassThrough } from "node:stream";
import type Docker from "dockerode";
import { type ContainerPlan, spareLabel, waitingContainer } from "./container.js";
import { type Deaths, watchDeaths } from "./deaths.js";
import { engineCall } from "./engine.js";
import { waitFor } from "./hand-over.js";
import { bridgeName } from "./network.js";
import type { BuildNetwork, Networks } from "./networks.js";
import type { Quotas } from "./quotas.js";
import { removeAll } from "./remove.js";

/** What a waiting container has in common with those of the builds that it can serve. */
export type SpareKind = Pick<ContainerPlan, "order" | "imageId" | "script" | "labels" | "limits">;

/** A container that runs and waits for its job, with a volume and a network of its own. */
export interface Spare {
  readonly name: string;
  readonly container: Docker.Container;
  readonly volume: string;
  readonly network: BuildNetwork;
  readonly deaths: Deaths;
  readonly output: PassThrough;
  /** Makes the waiting shell run these lines. */
  run(text: string): void;
}

export interface SpareOptions {
  readonly engine: Docker;
  readonly quotas: Quotas;
  readonly networks: Networks;
  readonly runner: string;
}

/** The parts of a spare that exist so far. They are removed if the rest fails. */
interface Parts {
  readonly containers: Docker.Container[];
  readonly volumes: Docker.Volume[];
  network?: BuildNetwork;
  deaths?: Deaths;
  output?: PassThrough;
}

async function removeParts({ networks }: SpareOptions, { deaths, output, network, ...parts }: Parts): Promise<void> {
  output?.destroy();
  deaths?.[Symbol.dispose]();
  await removeAll({ ...parts, network: async (empty) => network && networks.giveBack(network, empty) });
}

export const newSpareName = (): string => `ci-spare-${randomBytes(4).toString("hex")}`;

const attached = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true } as const;
const readyBytes = 9;

/** Waits for the shell's first output. It prints nothing else before its job. */
async function ready(output: PassThrough): Promise<void> {
  while (output.read(readyBytes) === null) await once(output, "readable");
}

/** Passes on what a connection brings, until either side ends. */
function outputOf(stream: Duplex): PassThrough {
  const output = stream.pipe(new PassThrough());
  stream.on("error", () => undefined).once("close", () => output.end());
  output.once("close", () => stream.destroy());
  return output;
}

async function fill(options: SpareOptions, name: string, kind: SpareKind, parts: Parts): Promise<Spare> {
  const { engine, quotas, networks, runner } = options;
  const labels = { ...kind.labels, [spareLabel]: name };
  const bridge = bridgeName(runner, name.slice(-8));
  const { diskBytes } = kind.limits;
  parts.volumes.push(engine.getVolume(name));
  const network = await networks.take({ name, bridge, labels: kind.labels }, undefined);
  parts.network = network;
  await Promise.all([network.made, engineCall(quotas.volume(engine, { Name: name, Labels: labels }, diskBytes))]);
  const end = randomBytes(16).toString("hex");
  const plan = { ...kind, labels, job: { id: 0, script: "" }, network: network.name, volume: name, shared: [] };
  const waiting = waitingContainer(plan, waitFor(end, kind.script));
  const container = await engineCall(quotas.container(engine, waiting, diskBytes));
  parts.containers.push(container);
  const deaths = await engineCall(watchDeaths(engine, { [spareLabel]: name }));
  parts.deaths = deaths;
  const stream = (await engineCall(container.attach(attached))) as unknown as Duplex;
  const output = outputOf(stream);
  parts.output = output;
  await engineCall(container.start());
  await Promise.race([ready(output), deaths.of(container.id).then(gone)]);
  const run = (text: string) => void stream.write(`${text}${end}\n`);
  return { name, container, volume: name, network, deaths, output, run };
}

function gone(code: number): never {
  throw new Error(`The container ended with ${code} before it had a job`);
}

export async function makeSpare(options: SpareOptions, name: string, kind: SpareKind): Promise<Spare> {
  const parts: Parts = { containers: [], volumes: [] };
  try {
    return await fill(options, name, kind, parts);
  } catch (error) {
    await removeParts(options, parts);
    throw error;
  }
}

/** Removes a spare that no build has used. */
export const removeSpare = (options: SpareOptions, { container, volume, ...spare }: Spare): Promise<void> =>
  removeParts(options, { ...spare, containers: [container], volumes: [options.engine.getVolume(volume)] });
