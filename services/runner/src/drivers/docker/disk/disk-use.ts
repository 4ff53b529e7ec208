import { existsSync } from "node:fs";
import type Docker from "dockerode";
import { isRoot } from "../../user.js";
import { sumOf, Unmeasurable } from "./du.js";

interface Usage {
  readonly Volumes?: readonly { readonly Name: string; readonly UsageData?: { readonly Size: number } }[] | null;
}

/** The engine reports -1 for folders that it cannot walk, for instance because their paths are too long. */
function measured(size: number): number {
  if (size < 0) throw new Unmeasurable("the engine cannot measure a folder");
  return size;
}

/** Returns the size of volumes as the engine knows it. Engines before API 1.42 measure everything they have for that. */
async function volumeBytes(engine: Docker, names: readonly string[]): Promise<number> {
  const usage = await new Promise<Usage>((resolve, reject) =>
    engine.modem.dial(
      { path: "/system/df?type=volume", method: "GET", statusCodes: { 200: true } },
      (error: unknown, answer: unknown) => (error ? reject(error as Error) : resolve(answer as Usage)),
    ),
  );
  const found = usage.Volumes?.filter(({ Name }) => names.includes(Name)) ?? [];
  return found.reduce((sum, { UsageData }) => sum + measured(UsageData?.Size ?? 0), 0);
}

interface DiskUseOptions {
  readonly engine: Docker;
  /** Where `du` is found. */
  readonly path: string;
  readonly volumes: readonly string[];
  /** Those that have gone meanwhile do not count. */
  readonly containers: readonly Docker.Container[];
}

export interface DiskUse {
  readonly bytes: number;
  /** Files, folders and links; undefined if they cannot be counted. */
  readonly files?: number;
}

/** Returns what is known about the containers that still exist. */
async function inspected<T>(containers: readonly Docker.Container[], options?: object): Promise<T[]> {
  const all = await Promise.allSettled(containers.map((one) => one.inspect(options as never)));
  const found = all.filter((one) => one.status === "fulfilled").map(({ value }) => value as T);
  if (found.length === 0) throw all.find((one) => one.status === "rejected")?.reason ?? new Error("no container runs");
  return found;
}

const volumesOf = ({ Mounts: mounts = [] }: Pick<Docker.ContainerInspectInfo, "Mounts">) =>
  mounts.filter(({ Type }) => Type === "volume");

interface Sized extends Pick<Docker.ContainerInspectInfo, "Mounts" | "State"> {
  readonly SizeRw?: number;
}

const rootBytes = ({ SizeRw = 0, State }: Sized): number => (State.Running ? measured(SizeRw) : Math.max(0, SizeRw));

/** Asks the engine for what a build has written. It counts no files. */
export async function engineUse({ engine, volumes, containers }: Omit<DiskUseOptions, "path">): Promise<DiskUse> {
  const sized = await inspected<Sized>(containers, { size: true });
  const names = [...volumes, ...sized.flatMap(volumesOf).map(({ Name = "" }) => Name)];
  return { bytes: sized.reduce((sum, one) => sum + rootBytes(one), await volumeBytes(engine, names)) };
}

/**
 * Returns what a build has written to its volumes, to the roots of its containers and to the volumes that their images ask
 * for. Root on the engine's host looks into the folders; everyone else asks the engine, which takes longer.
 */
export async function diskUse(options: DiskUseOptions): Promise<DiskUse> {
  const { engine, path, volumes, containers } = options;
  const mounted = await Promise.all(volumes.map((volume) => engine.getVolume(volume).inspect()));
  const found = await inspected<Docker.ContainerInspectInfo>(containers);
  const roots = found.map(
    ({ GraphDriver }) => (GraphDriver?.Data as Readonly<Record<string, string>> | undefined)?.UpperDir,
  );
  const sources = [
    ...mounted.map(({ Mountpoint }) => Mountpoint),
    ...found.flatMap(volumesOf).map((one) => one.Source),
  ];
  const folders = [...new Set([...sources, ...roots])];
  const isHere = (folder: string | undefined): folder is string => folder !== undefined && existsSync(folder);
  if (!isRoot() || !folders.every(isHere)) return engineUse(options);
  const files = await sumOf("--inodes", folders, path);
  const kibibytes = await sumOf("-k", folders, path);
  return files === undefined || kibibytes === undefined ? engineUse(options) : { files, bytes: 1024 * kibibytes };
}

/** Files are counted if any of the uses counts them. */
export function sumOfUses(all: readonly DiskUse[]): DiskUse {
  const counted = all.flatMap(({ files }) => files ?? []);
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  return counted.length > 0 ? { bytes, files: counted.reduce((sum, one) => sum + one, 0) } : { bytes };
}
