import { fixedLimit } from "@ci/kit/process/fixed-limit";
/** A change that triggers builds: a push, or a pull request with new commits. */
export interface HookChange {
  readonly type: "push" | "pull";
  readonly repoId: string;
  /** The provider's ref: `refs/heads/main` for a push, the branch name for a pull request, if it has a branch. */
  readonly ref: string;
  /** Id of the commit, or of an annotated tag that points to it. */
  readonly sha: string;
  /** Message of the commit, or title of the pull request; empty if the delivery has none. */
  readonly comment: string;
  readonly email: string;
  readonly username: string;
  /** The pull request comes from another repository, or from none, so its author is not trusted. */
  readonly fork: boolean;
  /** The previous commit of the branch, tag or request. */
  readonly before?: string;
  readonly targetBranch?: string;
  readonly defaultBranch?: string;
  readonly id?: string;
  readonly action?: string;
  /** The target branch's commit with which a request is compared. */
  readonly base?: string;
  /** The changed files; absent if the provider does not name all of them. */
  readonly files?: readonly string[];
}

export type Headers = Readonly<Record<string, string>>;

export interface Provider {
  /** Reports whether the sender knows the secret, with which `hmac` signs the body; compares in constant time. */
  isSigned(headers: Headers, hmac: string, secret: string): boolean;
  /** Returns the provider's id of this delivery. A repeated delivery has the same id. */
  deliveryId(headers: Headers): string | undefined;
  event(headers: Headers, payload: unknown): string;
  readonly built: Readonly<Record<string, HookChange["type"]>>;
  /** The actions on a request that trigger builds. */
  readonly actions: readonly string[];
  /** Reads a payload; undefined if it makes no builds. */
  read(headers: Headers, payload: unknown): HookChange | undefined;
}

/** Returns the ref for tags of builds, without `refs/heads/` or `refs/tags/`. */
export const shortRef = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, "");

/** Returns the refs that a user may mean, the likeliest first. None if the name is too long, or has spaces or control characters. */
export function refsCalled(name: string): readonly string[] {
  if (name.length > maxRefLength || /[\s\p{Cc}]/u.test(name)) return [];
  return /^refs\/(heads|tags)\//.test(name) ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
}

/** Returns the branch that a change is made to: the one pushed to, or the target of a pull request. */
export function branchOf({ type, ref, targetBranch }: HookChange): string | undefined {
  if (type === "pull") return targetBranch;
  return ref.startsWith("refs/heads/") ? shortRef(ref) : undefined;
}

export const tagOf = ({ type, ref }: HookChange): string | undefined =>
  type === "push" && ref.startsWith("refs/tags/") ? shortRef(ref) : undefined;

/** Reports whether strangers can have made it. A request with a full ref has no branch, and older versions trusted it. */
export const isForeign = ({ type, ref, fork }: Pick<HookChange, "type" | "ref" | "fork">): boolean =>
  fork || (type === "pull" && ref.startsWith("refs/"));

export const requestsPrefix = (repositoryId: number): string => `${repositoryId}/pull/`;

/** Returns a key for the branch or request whose newer changes supersede older ones. Undefined for a tag. */
export function subjectOf(repositoryId: number, change: HookChange): string | undefined {
  if (change.type === "pull")
    return change.id === undefined ? undefined : `${requestsPrefix(repositoryId)}${change.id}`;
  const branch = branchOf(change);
  return branch === undefined ? undefined : `${repositoryId}/push/${branch}`;
}

/** Bounded, because every list of builds shows comments. */
const maxCommentLength = fixedLimit({ max: 4_096, about: "characters of a hook's comment", effect: "the rest is cut" });
const maxTextLength = fixedLimit({
  max: 255,
  about: "characters of each other text from a hook",
  effect: "the rest is cut",
});
/** Git servers allow less. */
const maxRefLength = fixedLimit({
  max: 1_024,
  about: "characters of a hook's ref",
  effect: "the delivery makes no build",
});

const cut = (text: string, length: number): string => [...text.slice(0, 2 * length)].slice(0, length).join("");

/** Returns a comment that fits into the records of a build. */
export const shortComment = (comment: string): string => cut(comment, maxCommentLength);

/** Returns any other text, cut to the length that the records of a build allow. */
export const shortText = (text: string): string => cut(text, maxTextLength);

/** Providers send a commit id of zeros where there is no commit. */
export const isCommitId = (id: string | undefined): id is string =>
  id !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id) && !/^0+$/.test(id);
const isBranch = (name: string | undefined): name is string =>
  name !== undefined && name !== "" && name.length <= maxRefLength;

/** Returns a change with its texts cut to the lengths that a build's records allow. */
function bounded({ id, action, before, base, targetBranch, defaultBranch, ...change }: HookChange): HookChange {
  return {
    ...change,
    fork: isForeign(change),
    repoId: shortText(change.repoId),
    comment: shortComment(change.comment),
    email: shortText(change.email),
    username: shortText(change.username),
    ...(id === undefined ? {} : { id: shortText(id) }),
    ...(action === undefined ? {} : { action: shortText(action) }),
    ...(isCommitId(before) ? { before } : {}),
    ...(isCommitId(base) ? { base } : {}),
    ...(isBranch(targetBranch) ? { targetBranch } : {}),
    ...(isBranch(defaultBranch) ? { defaultBranch } : {}),
  };
}

/** Returns the change if it has a commit to build: the push was not a deletion, and the ref is a branch or a tag. */
export function validChange(change: HookChange): HookChange | undefined {
  const { type, sha, ref } = change;
  const isRef = (type === "pull" ? ref !== "" : /^refs\/(heads|tags)\/./.test(ref)) && ref.length <= maxRefLength;
  return isCommitId(sha) && isRef ? bounded(change) : undefined;
}
