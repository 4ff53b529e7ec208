import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import type Docker from "dockerode";
import { isRoot } from "../user.js";

/** Long, because a build that makes too many files slows its own measurement down. */
const timeoutMs = 10 * 60_000;

interface Usage {
  readonly Volumes?: readonly { readonly Name: string; readonly UsageData?: { readonly Size: number } }[] | null;
}

/** Returns the size of a volume as the engine knows it. Engines before API 1.42 measure everything they have for that. */
async function volumeBytes(engine: Docker, name: string): Promise<number> {
  const usage = await new Promise<Usage>((resolve, reject) =>
    engine.modem.dial(
      { path: "/system/df?type=volume", method: "GET", statusCodes: { 200: true } },
      (error: unknown, answer: unknown) => (error ? reject(error as Error) : resolve(answer as Usage)),
    ),
  );
  return Math.max(0, usage.Volumes?.find(({ Name }) => Name === name)?.UsageData?.Size ?? 0);
}

/** Sums up folders. Files that vanish meanwhile make `du` fail after it has printed the sum. */
const sumOf = (option: "-k" | "--inodes", folders: readonly string[], path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    execFile(
      "du",
      [option, "-sxc", "--", ...folders],
      { timeout: timeoutMs, env: { PATH: path, LC_ALL: "C" } },
      (error, out) => {
        const sum = /^(\d+)\s+total$/m.exec(out)?.[1];
        if (sum === undefined) reject(error ?? new Error("du printed no sum"));
        else resolve(Number(sum));
      },
    );
  });

export interface DiskUseOptions {
  readonly engine: Docker;
  /** Where `du` is found. */
  readonly path: string;
  readonly volume: string;
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

/** Asks the engine for what a build has written. It counts no files. */
export async function engineUse({ engine, volume, containers }: Omit<DiskUseOptions, "path">): Promise<DiskUse> {
  const sized = await inspected<{ readonly SizeRw?: number }>(containers, { size: true });
  return { bytes: sized.reduce((sum, { SizeRw = 0 }) => sum + SizeRw, await volumeBytes(engine, volume)) };
}

/**
 * Returns what a build has written to its volume and to the roots of its containers. Root on the engine's host looks into
 * the folders; everyone else asks the engine, which takes longer.
 */
export async function diskUse(options: DiskUseOptions): Promise<DiskUse> {
  const { engine, path, volume, containers } = options;
  const { Mountpoint: mountpoint } = await engine.getVolume(volume).inspect();
  const graphs = await inspected<Docker.ContainerInspectInfo>(containers);
  const roots = graphs.map(
    ({ GraphDriver }) => (GraphDriver?.Data as Readonly<Record<string, string>> | undefined)?.UpperDir,
  );
  const isHere = (folder: string | undefined): folder is string => folder !== undefined && existsSync(folder);
  if (!isRoot() || !roots.every(isHere) || !isHere(mountpoint)) return engineUse(options);
  const folders = [mountpoint, ...roots];
  const files = await sumOf("--inodes", folders, path);
  return { files, bytes: 1024 * (await sumOf("-k", folders, path)) };
}
