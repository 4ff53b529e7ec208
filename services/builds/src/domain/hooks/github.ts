import { type HookChange, type Provider, validChange } from "./change.js";
import { filesOf } from "./changed-files.js";
import { at, listAt, textAt } from "./payload.js";
import { isSignature } from "./signature.js";

const builtActions = ["opened", "reopened", "synchronize"];

function push(payload: unknown): HookChange | undefined {
  if (at(payload, "deleted") === true) return undefined;
  return validChange({
    type: "push",
    repoId: textAt(payload, "repository", "id"),
    ref: textAt(payload, "ref"),
    // For an annotated tag `after` is the tag object, and the head commit is what it points to.
    sha: textAt(payload, "head_commit", "id") || textAt(payload, "after"),
    comment: textAt(payload, "head_commit", "message"),
    email: textAt(payload, "head_commit", "author", "email") || textAt(payload, "pusher", "email"),
    username: textAt(payload, "head_commit", "author", "username") || textAt(payload, "pusher", "name"),
    fork: false,
    before: textAt(payload, "before"),
    defaultBranch: textAt(payload, "repository", "default_branch"),
    // After a force push, the commits do not list what was dropped.
    files: at(payload, "forced") === true ? undefined : filesOf(listAt(payload, "commits")),
  });
}

/** Reports whether a pull request comes from another repository. A deleted fork has no repository id. */
export const isFork = (payload: unknown): boolean => {
  const head = textAt(payload, "pull_request", "head", "repo", "id");
  return head === "" || head !== textAt(payload, "pull_request", "base", "repo", "id");
};

function pull(payload: unknown): HookChange | undefined {
  const action = textAt(payload, "action");
  if (!builtActions.includes(action)) return undefined;
  return validChange({
    type: "pull",
    repoId: textAt(payload, "repository", "id"),
    ref: textAt(payload, "pull_request", "head", "ref"),
    sha: textAt(payload, "pull_request", "head", "sha"),
    comment: textAt(payload, "pull_request", "title"),
    email: textAt(payload, "pull_request", "user", "email"),
    username: textAt(payload, "pull_request", "user", "login"),
    fork: isFork(payload),
    before: textAt(payload, "before"),
    targetBranch: textAt(payload, "pull_request", "base", "ref"),
    defaultBranch: textAt(payload, "repository", "default_branch"),
    id: textAt(payload, "pull_request", "number") || textAt(payload, "number"),
    action,
    base: textAt(payload, "pull_request", "base", "sha"),
  });
}

export const github: Provider = {
  isSigned: (headers, hmac) => isSignature(headers["x-hub-signature-256"], `sha256=${hmac}`),
  deliveryId: (headers) => headers["x-github-delivery"],
  event: (headers) => headers["x-github-event"] ?? "",
  built: { push: "push", pull_request: "pull" },
  actions: builtActions,
  read(headers, payload) {
    const event = headers["x-github-event"];
    if (event === "push") return push(payload);
    return event === "pull_request" ? pull(payload) : undefined;
  },
};
