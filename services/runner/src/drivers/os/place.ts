import { appendFileSync, chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { UidRange } from "../../config.js";
import type { Job } from "../../driver.js";
import type { User } from "../user.js";
import { removeFolder } from "./files.js";
import { birthOf, type GivenId } from "./process-ids.js";
import { startTimeOf } from "./processes.js";
import { killStrays } from "./strays.js";
import { claimOwner, claimUser, releaseUser } from "./users.js";

/** The folder of a build. It is made without the thread pool, which costs more than the calls. Removals may take longer. */
export interface Place {
  readonly folder: string;
  readonly work: string;
  readonly user: User | undefined;
  /** The runner's own files beside the working directory. */
  readonly files: Set<string>;
  groupLines: string;
  birth?: GivenId;
}

const workOf = (folder: string) => join(folder, "work");
const groupsOf = (folder: string) => join(folder, "groups");

export async function makePlace(folder: string, uids: UidRange | undefined): Promise<Place> {
  const user = uids && (await claimUser(uids, folder));
  const work = workOf(folder);
  mkdirSync(work, { mode: 0o700 });
  if (user) {
    chownSync(work, user.uid, user.gid);
    chownSync(folder, 0, user.gid);
    chmodSync(folder, 0o710);
  }
  return { folder, work, user, files: new Set(), groupLines: "" };
}

export function writeScript({ folder, user, files }: Place, { id, script, beside }: Job): string {
  const path = join(folder, beside === undefined ? "script" : `script.${id}`);
  files.add(path);
  writeFileSync(path, script, { mode: 0o700 });
  if (user) chownSync(path, user.uid, user.gid);
  return path;
}

/** Notes the process group of a job, for this runner and for one that finds the folder after a crash. */
export function noteGroup(place: Place, group: number, sinceMs: number): void {
  const birth = birthOf(group, sinceMs);
  place.birth ??= birth;
  const line = `${group} ${startTimeOf(group) ?? ""}\n`;
  place.groupLines += line;
  const file = groupsOf(place.folder);
  place.files.add(file);
  appendFileSync(file, line, { mode: 0o600 });
}

export const endProcesses = ({ work: home, ...place }: Place): Promise<void> => killStrays({ home, ...place });

const remove = (path: string) => unlink(path).catch(() => removeFolder(path));

/** Kills all processes of a build and removes its folder. */
export async function removePlace(place: Place): Promise<void> {
  const { folder, work, user, files } = place;
  await endProcesses(place);
  const emptied = Promise.all([removeFolder(work), ...[...files].map(remove)]);
  // A job that runs as the runner's own user may have changed the folder: the runner removes it with all that it holds.
  await (user ? emptied : emptied.catch(() => undefined));
  if (user) await releaseUser(user, folder);
  await removeFolder(folder);
}

export async function removeLeftover(folder: string): Promise<void> {
  const work = workOf(folder);
  const groupLines = await readFile(groupsOf(folder), "utf8").catch(() => "");
  const names = await readdir(folder).catch(() => []);
  const files = new Set(names.map((name) => join(folder, name)).filter((path) => path !== work));
  await removePlace({ folder, work, user: await claimOwner(work, folder), files, groupLines });
}
