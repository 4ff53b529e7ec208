import type { Repository_Provider } from "@ci/proto/builds/v1/repositories";
import type { Origin } from "../origin.js";
import type { HookChange } from "./change.js";

export type Pushed = Pick<Origin, "sha" | "before" | "order">;

const requestRefs: Readonly<Record<Repository_Provider, (id: string) => string>> = {
  github: (id) => `refs/pull/${id}/head`,
  gitlab: (id) => `refs/merge-requests/${id}/head`,
  gitea: (id) => `refs/pull/${id}/head`,
};

/** Returns the ref that names the newest commit of a change's branch or request; undefined if it has none. */
export function tipRefOf(provider: Repository_Provider, { type, ref, id = "" }: HookChange): string | undefined {
  if (type === "push") return ref;
  return /^\d+$/.test(id) ? requestRefs[provider](id) : undefined;
}

/** Reports whether a push is newer than another one, whatever its ref names now: providers update refs late. */
export const isSurelyNewer = (push: Pushed, other: Pushed): boolean =>
  push.sha === other.sha
    ? (other.order ?? 0) < (push.order ?? 0)
    : push.before === other.sha && other.before !== push.sha;
