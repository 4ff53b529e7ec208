import { randomInt } from "node:crypto";
import { existsSync, readlinkSync, symlinkSync } from "node:fs";
import { lstat, mkdir, rmdir, stat, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UidRange } from "../../config.js";
import { isRoot, type User } from "../user.js";

/**
 * Claims of all runners on this host, so that no two builds have the same user: a link from the id to the build's
 * folder. The claim of a runner that crashed ends when its folder is removed.
 */
const claims = join(existsSync("/run") ? "/run" : tmpdir(), "service-ci-uids");
const claimOf = (uid: number) => join(claims, String(uid));

const code = (error: unknown) => (error as NodeJS.ErrnoException).code;

function failureOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return code(error);
  }
}

function holderOf(uid: number): string | undefined {
  try {
    return readlinkSync(claimOf(uid));
  } catch {
    return undefined;
  }
}

const isGone = (folder: string): Promise<boolean> =>
  stat(folder).then(
    () => false,
    (error) => code(error) === "ENOENT",
  );

/**
 * Removes the claim of a folder that is gone, unless the id has another one. One process at a time may do that, so that
 * nobody removes the claim of a new build. If it dies meanwhile, the id is lost until the machine starts again.
 */
async function endClaim(uid: number, folder: string): Promise<void> {
  const lock = `${claimOf(uid)}.lock`;
  const isLocked = await mkdir(lock).then(
    () => true,
    () => false,
  );
  if (!isLocked) return;
  try {
    if (holderOf(uid) === folder) await unlink(claimOf(uid));
  } finally {
    await rmdir(lock);
  }
}

async function tryClaim(uid: number, folder: string): Promise<boolean> {
  for (let tries = 0; tries < 3; tries++) {
    const failure = failureOf(() => symlinkSync(folder, claimOf(uid)));
    if (failure === undefined) return true;
    if (failure === "ENOENT") await mkdir(claims, { recursive: true, mode: 0o700 });
    else if (failure !== "EEXIST") throw new Error(`${claimOf(uid)} cannot be made: ${failure}`);
    else {
      const holder = holderOf(uid);
      if (holder === undefined || !(await isGone(holder))) return false;
      await endClaim(uid, holder);
    }
  }
  return false;
}

/** Gives a build's folder a user of its own. No account is needed. Begins anywhere, so that ids are reused late. */
export async function claimUser({ first, last }: UidRange, folder: string): Promise<User> {
  const count = last - first + 1;
  const begin = randomInt(count);
  for (let nth = 0; nth < count; nth++) {
    const uid = first + ((begin + nth) % count);
    if (await tryClaim(uid, folder)) return { uid, gid: uid };
  }
  throw new Error(`Every user of OS_UIDS=${first}-${last} has a build`);
}

/** Releases the claim of an empty folder. While the folder exists, nobody else ends its claim. */
export async function releaseUser({ uid }: User, folder: string): Promise<void> {
  if (holderOf(uid) === folder) await unlink(claimOf(uid));
}

/**
 * Claims the owner of a working directory for its build's folder, because claims end when the machine starts again, and
 * folders do not. Returns undefined if that is the runner itself, if it is missing, or if another build has the user.
 */
export async function claimOwner(work: string, folder: string): Promise<User | undefined> {
  const found = await lstat(work).catch(() => undefined);
  if (!found || !isRoot() || found.uid === 0) return undefined;
  const isOurs = holderOf(found.uid) === folder || (await tryClaim(found.uid, folder));
  return isOurs ? { uid: found.uid, gid: found.gid } : undefined;
}
