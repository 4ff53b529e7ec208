import { type Headers, type HookChange, type Provider, validChange } from "./change.js";
import { filesOfNewRef } from "./changed-files.js";
import { isFork } from "./github.js";
import { at, listAt, numberAt, textAt } from "./payload.js";
import { isSignature } from "./signature.js";

/** Anyone who can read a repository can push such a request to it. It says that it comes from the repository itself. */
const isAgit = (payload: unknown): boolean =>
  at(payload, "pull_request", "head", "label") === "" || at(payload, "pull_request", "flow") === 1;

const builtActions = ["opened", "reopened", "synchronized"];

function push(payload: unknown): HookChange | undefined {
  // A deletion has its own event. If a push reports one, its commit is all zeros.
  const sha = textAt(payload, "after");
  // Older versions send only the list of commits.
  const head = at(payload, "head_commit") ?? listAt(payload, "commits").find((commit) => textAt(commit, "id") === sha);
  const before = textAt(payload, "before");
  return validChange({
    type: "push",
    repoId: textAt(payload, "repository", "id"),
    ref: textAt(payload, "ref"),
    sha,
    comment: textAt(head, "message"),
    email: textAt(head, "author", "email") || textAt(payload, "pusher", "email"),
    username: textAt(head, "author", "username") || textAt(payload, "pusher", "login"),
    fork: false,
    before,
    defaultBranch: textAt(payload, "repository", "default_branch"),
    files: filesOfNewRef(before, listAt(payload, "commits"), numberAt(payload, "total_commits")),
  });
}

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
    fork: isFork(payload) || isAgit(payload),
    before: textAt(payload, "before"),
    targetBranch: textAt(payload, "pull_request", "base", "ref"),
    defaultBranch: textAt(payload, "repository", "default_branch"),
    id: textAt(payload, "pull_request", "number") || textAt(payload, "number"),
    action,
    // The target branch may have moved on, and what changed there is no change of the request.
    base: textAt(payload, "pull_request", "merge_base") || textAt(payload, "pull_request", "base", "sha"),
  });
}

const eventOf = (headers: Headers): string =>
  headers["x-forgejo-event"] ?? headers["x-gitea-event"] ?? headers["x-github-event"] ?? "";

/** Gitea and Forgejo, which use several header names. */
export const gitea: Provider = {
  isSigned: (headers, hmac) =>
    isSignature(headers["x-forgejo-signature"], hmac) ||
    isSignature(headers["x-gitea-signature"], hmac) ||
    isSignature(headers["x-hub-signature-256"], `sha256=${hmac}`),
  deliveryId: (headers) => headers["x-forgejo-delivery"] ?? headers["x-gitea-delivery"] ?? headers["x-github-delivery"],
  event: eventOf,
  built: { push: "push", pull_request: "pull" },
  actions: builtActions,
  read(headers, payload) {
    const event = eventOf(headers);
    if (event === "push") return push(payload);
    return event === "pull_request" ? pull(payload) : undefined;
  },
};
