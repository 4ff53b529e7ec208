import { appendFileSync, chmodSync, chownSync, mkdirSync, readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { UidRange } from "../../config.js";
import type { Job } from "../../driver.js";
import type { User } from "../user.js";
import { removeFolder } from "./files.js";
import { type Birth, birthOf } from "./process-ids.js";
import { startTimeOf } from "./processes.js";
import { killStrays } from "./strays.js";
import { claimUser, ownerOf, releaseUser } from "./users.js";

/** A build's working directory, and the runner's files beside it: written without the thread pool, which costs more. */
export interface Place {
  readonly folder: string;
  readonly work: string;
  readonly user: User | undefined;
  groupLines: string;
  birth?: Birth;
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
  return { folder, work, user, groupLines: "" };
}

export function writeScript({ folder, user }: Place, { id, script, beside }: Job): string {
  const path = join(folder, beside === undefined ? "script" : `script.${id}`);
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
  appendFileSync(groupsOf(place.folder), line, { mode: 0o600 });
}

export const endProcesses = ({ work: home, ...place }: Place): Promise<void> => killStrays({ home, ...place });

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function emptyPlace({ folder, work }: Place): Promise<void> {
  await removeFolder(work);
  for (const name of namesIn(folder)) unlinkSync(join(folder, name));
}

/** Kills all processes of a build and removes its folder. */
export async function removePlace(place: Place): Promise<void> {
  const { folder, user } = place;
  await endProcesses(place);
  const emptied = emptyPlace(place);
  // A job that runs as the runner's own user may have changed the folder: the runner removes it with all that it holds.
  await (user ? emptied : emptied.catch(() => undefined));
  if (user) releaseUser(user, folder);
  await removeFolder(folder);
}

export async function removeLeftover(folder: string): Promise<void> {
  const work = workOf(folder);
  const groupLines = await readFile(groupsOf(folder), "utf8").catch(() => "");
  await removePlace({ folder, work, user: await ownerOf(work), groupLines });
}
