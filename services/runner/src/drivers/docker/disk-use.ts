import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import type Docker from "dockerode";
import { isRoot } from "../user.js";

const timeoutMs = 60_000;

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

/** Returns the bytes in folders. Files that vanish meanwhile make `du` fail after it has printed the sum. */
const folderBytes = (folders: readonly string[], path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    execFile(
      "du",
      ["-skxc", "--", ...folders],
      { timeout: timeoutMs, env: { PATH: path, LC_ALL: "C" } },
      (error, out) => {
        const sum = /^(\d+)\s+total$/m.exec(out)?.[1];
        if (sum === undefined) reject(error ?? new Error("du printed no sum"));
        else resolve(Number(sum) * 1024);
      },
    );
  });

export interface DiskUseOptions {
  readonly engine: Docker;
  /** Where `du` is found. */
  readonly path: string;
  readonly volume: string;
  readonly container: Docker.Container;
}

/** Asks the engine for what a build has written. */
export async function engineUse({ engine, volume, container }: Omit<DiskUseOptions, "path">): Promise<number> {
  const sized = (await container.inspect({ size: true } as never)) as unknown as { readonly SizeRw?: number };
  return (sized.SizeRw ?? 0) + (await volumeBytes(engine, volume));
}

/**
 * Returns what a build has written to its volume and to the root of its container. Root on the engine's host looks into
 * the folders; everyone else asks the engine, which takes longer.
 */
export async function diskUse(options: DiskUseOptions): Promise<number> {
  const { engine, path, volume, container } = options;
  const { Mountpoint: mountpoint } = await engine.getVolume(volume).inspect();
  const { GraphDriver: graph } = await container.inspect();
  const root = (graph?.Data as Readonly<Record<string, string>> | undefined)?.UpperDir;
  const isHere = (folder: string | undefined): folder is string => folder !== undefined && existsSync(folder);
  return isRoot() && isHere(root) && isHere(mountpoint) ? folderBytes([mountpoint, root], path) : engineUse(options);
}
