import { createHash } from "node:crypto";
import { sizeText } from "@ci/kit/bytes/size-text";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import { isGlob } from "@ci/manifest/glob";
import type { AssignedCache } from "@ci/proto/builds/v1/queue";
import type { Environment } from "../driver.js";
import { isHostTrouble } from "../endings/errors.js";
import { matchesOf } from "../steps/matches.js";

const maxKeyBytes = fixedLimit({
  max: 64 * 1024 ** 2,
  unit: "bytes",
  about: "files of a cache's key",
  effect: "the cache is not used",
});

interface Reading {
  readonly environment: Pick<Environment, "list" | "open" | "trees">;
  readonly signal: AbortSignal;
}

/** Returns the hash of a file; undefined if there is none. */
async function hashOf(path: string, leftBytes: number, { environment, signal }: Reading) {
  const file = await environment.open(path, signal).catch((error) => {
    signal.throwIfAborted();
    if (error instanceof Fault && !isHostTrouble(error)) return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    if (file.sizeBytes > leftBytes) throw new Fault("invalid", `the files of the key exceed ${sizeText(maxKeyBytes)}`);
    const hash = createHash("sha256");
    for await (const bytes of file.content) hash.update(bytes);
    return { sha256: hash.digest("hex"), bytes: file.sizeBytes };
  } finally {
    await file.close();
  }
}

interface Key {
  readonly key: string;
  /** How many of the files that the manifest names exist. */
  readonly files: number;
}

/**
 * Returns the key of a cache: a hash of the names and contents of its files, and of what it keeps, so that an entry with
 * other paths, or with files that this build places, is not taken for it. A missing file counts as missing.
 */
export async function keyOf({ key, paths }: AssignedCache, placed: readonly string[], on: Reading): Promise<Key> {
  const whole = createHash("sha256");
  const add = (...parts: string[]) => whole.update(`${JSON.stringify(parts)}\n`);
  add("paths", ...[...paths].sort());
  if (placed.length > 0) add("placed", ...[...placed].sort());
  const { trees } = on.environment;
  let leftBytes = maxKeyBytes;
  let count = 0;
  for (const pattern of key) {
    const located = pattern.startsWith("~/") ? trees.locate(pattern) : pattern;
    const files = isGlob(pattern) ? await matchesOf(located, on) : [pattern];
    for (const path of files) {
      const found = await hashOf(trees.locate(path), leftBytes, on);
      leftBytes -= found?.bytes ?? 0;
      if (found) count++;
      add("file", path, found?.sha256 ?? "");
    }
  }
  return { key: whole.digest("hex"), files: count };
}
