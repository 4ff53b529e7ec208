/** What a delivery of a provider says that builds are made of: a push, or a request that has new commits. */
export interface HookChange {
  readonly type: "push" | "pull";
  /** The provider's own id of the repository. */
  readonly repoId: string;
  /** As the provider writes it: `refs/heads/main` of a push, the name of the branch of a request. */
  readonly ref: string;
  /** The commit, or a tag that names it. */
  readonly sha: string;
  /** Message of the commit, or title of the request; empty when the delivery does not tell. */
  readonly comment: string;
  readonly email: string;
  readonly username: string;
  /** A request whose commits come from another repository: whoever wrote them is a stranger. */
  readonly fork: boolean;
  /** Of a request: its number, and what happened to it. */
  readonly id?: string;
  readonly action?: string;
}

/** Headers by their names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** How one kind of provider speaks. */
export interface Provider {
  /** Whether the request comes from somebody who knows the secret; compared in constant time. */
  signed(headers: Headers, body: Uint8Array, secret: string): boolean;
  /** What the provider calls this delivery, also when it is sent again. */
  deliveryId(headers: Headers): string | undefined;
  /** Undefined for whatever makes no builds. */
  read(headers: Headers, payload: unknown): HookChange | undefined;
}

/** The ref as builds are tagged with it: without the folder that git keeps it in. */
export const shortRef = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, "");

/** A push to a branch or tag that is there afterwards, and a request for a commit; anything else makes no builds. */
export function valid(change: HookChange): HookChange | undefined {
  const { type, sha, ref } = change;
  const isCommit = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha) && !/^0+$/.test(sha);
  const isRef = type === "pull" ? ref !== "" : /^refs\/(heads|tags)\/./.test(ref);
  return isCommit && isRef ? change : undefined;
}
