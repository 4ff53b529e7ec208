import { authorOf, messageOf } from "@ci/git/objects";
import { type Head, openRemote, type Remote } from "@ci/git/remote";
import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { decrypt } from "@ci/kit/security/secrets";
import type { Context } from "../../context.js";
import { type HookChange, refsCalled, shortRef, validChange } from "../../domain/hooks/change.js";
import { boundedFiles } from "../../domain/hooks/changed-files.js";
import { changedBetween } from "../../git/compare.js";
import { maxObjects } from "../../git/limits.js";
import { type CommitFound, commitOf, readManifests } from "../../git/manifests.js";
import { repositoryToken } from "../../store/encrypted-fields.js";
import type { RepositoryDoc } from "../../store/repositories.js";

/** Each manifest makes a build: one commit must not be able to fill the queue. */
export const maxManifests = fixedLimit({
  max: 20,
  about: "manifests of one commit",
  effect: "the commit makes no build; its status is an error",
});

const unknownTip = "the tip is unknown; a late push kills its builds";
const maxRefBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "refs of a repository whose names begin with that of a branch or request, when its tip is read",
  effect: unknownTip,
});
const maxRefMs = fixedLimit({
  max: 5_000,
  unit: "ms",
  about: "time to read the tip of a branch or request",
  effect: unknownTip,
});

export const tokenOf = (
  { config }: Pick<Context, "config">,
  { _id: id, sealedToken }: RepositoryDoc,
): string | undefined => sealedToken && decrypt(config.keyring, sealedToken, repositoryToken(id));

/** The commit could not be read. A later attempt may succeed. The message is for the repository's users. */
export class Unreadable extends Error {
  constructor(cause: unknown) {
    const { name, message } = cause as Error;
    const why = name === "TimeoutError" ? "timeout" : message.replace(/^unexpected status /, "");
    super(`repository could not be read: ${why}`, { cause });
  }
}

/** The address of a repository, and the access token. */
interface RepositoryAddress extends Pick<RepositoryDoc, "provider" | "url"> {
  readonly token?: string | undefined;
}

async function open(
  ctx: Context,
  { provider, url, token }: RepositoryAddress,
  timeoutMs: number,
  maxBytes = ctx.config.hookReadBytes,
): Promise<Remote> {
  // GitHub accepts tokens of GitHub Apps only under this user name.
  const user = provider === "github" ? "x-access-token" : "oauth2";
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(timeoutMs)]);
  const credentials = token ? `${user}:${token}` : undefined;
  const limits = { timeoutMs, maxBytes, maxObjects };
  return openRemote({ agent: ctx.agent, url, credentials, signal, ...limits });
}

async function findRef(remote: Remote, name: string): Promise<Head | undefined> {
  for (const ref of refsCalled(name)) {
    const sha = await remote.find(ref);
    if (sha !== undefined) return { ref, sha };
  }
  return undefined;
}

/** Returns the commit of a branch or tag, by default of the default branch, as a push; undefined if there is none. Throws Unreadable. */
export async function readTip(
  ctx: Context,
  address: RepositoryAddress,
  timeoutMs: number,
  name = "",
): Promise<HookChange | undefined> {
  try {
    const remote = await open(ctx, address, timeoutMs);
    const head = await remote.head();
    const tip = name === "" ? head : await findRef(remote, name);
    if (!tip) return undefined;
    const { object } = await commitOf(remote, tip.sha);
    const { author: username, email } = authorOf(object);
    const defaultBranch = head && { defaultBranch: shortRef(head.ref) };
    const common = { type: "push", repoId: "", fork: false, ...defaultBranch } as const;
    return validChange({ ...common, ...tip, comment: messageOf(object), email, username });
  } catch (error) {
    throw ctx.signal.aborted ? error : new Unreadable(error);
  }
}

/** Returns the commit that a ref of a repository names; undefined if it does not exist. Throws Unreadable. */
export async function readRef(ctx: Context, repository: RepositoryDoc, ref: string): Promise<string | undefined> {
  try {
    const { provider, url } = repository;
    const timeoutMs = Math.min(maxRefMs, ctx.config.hookTimeoutMs);
    const remote = await open(ctx, { provider, url, token: tokenOf(ctx, repository) }, timeoutMs, maxRefBytes);
    return await remote.find(ref);
  } catch (error) {
    throw ctx.signal.aborted ? error : new Unreadable(error);
  }
}

async function changedFiles(ctx: Context, { type, files, before, base }: HookChange, remote: Remote, sha: string) {
  const from = type === "pull" ? base : before;
  if (files || !from) return files;
  try {
    const found = await changedBetween(remote, from, sha);
    return found && boundedFiles(found);
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    // The earlier commit may be gone after a force push.
    const reason = error instanceof FetchFailed ? error.reason : (error as Error).message;
    ctx.log.info({ reason }, "changed files of a commit are unknown");
    return undefined;
  }
}

/** A commit with its manifests and, on demand, its changed files, which are undefined if unknown. */
export interface CommitRead extends CommitFound {
  readonly files: () => Promise<readonly string[] | undefined>;
}

/** Reads a commit with its manifests, at most one more than allowed. Throws Unreadable. */
export async function readCommit(ctx: Context, repository: RepositoryDoc, change: HookChange): Promise<CommitRead> {
  try {
    const { provider, url } = repository;
    const remote = await open(ctx, { provider, url, token: tokenOf(ctx, repository) }, ctx.config.hookTimeoutMs);
    const limits = { most: maxManifests + 1, maxBytes: ctx.config.manifestBytes };
    const found = await readManifests(remote, change.sha, limits);
    let files: ReturnType<typeof changedFiles> | undefined;
    return { ...found, files: () => (files ??= changedFiles(ctx, change, remote, found.sha)) };
  } catch (error) {
    throw ctx.signal.aborted ? error : new Unreadable(error);
  }
}
