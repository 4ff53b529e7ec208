import { join } from "node:path";
import type { Member } from "@ci/builds/domain/group";
import { runMember } from "./build.js";
import { type LocalConfig, readConfig } from "./config.js";
import type { Emit } from "./events.js";
import { requireEmpty } from "./keep-files.js";
import { openMachine } from "./machine.js";
import { type Plan, planRun, type Request } from "./prepare.js";

export type { Emit, LocalEvent } from "./events.js";
export type { Request } from "./prepare.js";
export { Refused } from "./refused.js";

interface RunOptions {
  readonly emit: Emit;
  /** Returns the file for an artifact of a build. Throws if its name is not a valid file name. */
  readonly artifactPath: (build: { readonly number: number; readonly of: number }, name: string) => Promise<string>;
  /** Folder for the jobs' files; undefined to remove them. */
  readonly keep?: string | undefined;
  /** Kills the builds. */
  readonly signal: AbortSignal;
}

/** A run that has passed the checks. */
export interface Prepared {
  readonly notes: readonly string[];
  /** Runs every build. Returns their statuses. */
  run(options: RunOptions): Promise<string[]>;
}

/** Checks a manifest and its requirements. Throws Refused with a message for the user if something is missing here. */
export async function prepareRun(request: Request, env: Readonly<Record<string, string | undefined>>) {
  const config = readConfig(env);
  const checked = await planRun(request, config);
  if ("complaints" in checked) return checked;
  const { plan } = checked;
  return {
    prepared: { notes: plan.notes, run: (options) => runAll(plan, request, config, options) } satisfies Prepared,
  };
}

const imagesOf = (members: readonly Member[], { images }: Request) =>
  new Map(
    members.flatMap(({ manifest: { driver } }) =>
      driver.type === "qemu" ? [[driver.image, images[driver.image]] as const] : [],
    ),
  );

async function runAll(
  { members, submission, source }: Plan,
  request: Request,
  config: LocalConfig,
  { emit, artifactPath, keep, signal }: RunOptions,
): Promise<string[]> {
  const types = [...new Set(members.map(({ manifest }) => manifest.driver.type))];
  if (keep !== undefined) await requireEmpty(keep);
  await using machine = await openMachine({ config, types, images: imagesOf(members, request) });
  const owner = source?.source.root ?? request.folder;
  const of = members.length;
  const artifactPathOf = (number: number) => (name: string) => artifactPath({ number, of }, name);
  const keepIn = (number: number) => (keep !== undefined && of > 1 ? join(keep, String(number)) : keep);
  const running = {
    config,
    machine,
    submission,
    owner,
    source,
    objects: request.objects,
    emit,
    artifactPathOf,
    keepIn,
    signal,
  };
  const statuses: string[] = [];
  for (const [index, member] of members.entries()) statuses.push(await runMember(index + 1, member, running));
  return statuses;
}
