import { type HookChange, type Provider, valid } from "./change.js";
import { isFork } from "./github.js";
import { at, listAt, textAt } from "./payload.js";
import { signs } from "./signature.js";

const builtActions = ["opened", "reopened", "synchronized"];

function push(payload: unknown): HookChange | undefined {
  // What is deleted is told as an event of its own; should a push tell it, its commit is all zeros.
  const sha = textAt(payload, "after");
  // Older versions tell the list of commits only.
  const head = at(payload, "head_commit") ?? listAt(payload, "commits").find((commit) => textAt(commit, "id") === sha);
  return valid({
    type: "push",
    repoId: textAt(payload, "repository", "id"),
    ref: textAt(payload, "ref"),
    sha,
    comment: textAt(head, "message"),
    email: textAt(head, "author", "email") || textAt(payload, "pusher", "email"),
    username: textAt(head, "author", "username") || textAt(payload, "pusher", "login"),
    fork: false,
  });
}

function pull(payload: unknown): HookChange | undefined {
  const action = textAt(payload, "action");
  if (!builtActions.includes(action)) return undefined;
  return valid({
    type: "pull",
    repoId: textAt(payload, "repository", "id"),
    ref: textAt(payload, "pull_request", "head", "ref"),
    sha: textAt(payload, "pull_request", "head", "sha"),
    comment: textAt(payload, "pull_request", "title"),
    email: textAt(payload, "pull_request", "user", "email"),
    username: textAt(payload, "pull_request", "user", "login"),
    fork: isFork(payload),
    id: textAt(payload, "pull_request", "number") || textAt(payload, "number"),
    action,
  });
}

/** Gitea and Forgejo, which say everything under several names. */
export const gitea: Provider = {
  signed: (headers, body, secret) =>
    signs(headers["x-forgejo-signature"], "", body, secret) ||
    signs(headers["x-gitea-signature"], "", body, secret) ||
    signs(headers["x-hub-signature-256"], "sha256=", body, secret),
  deliveryId: (headers) => headers["x-forgejo-delivery"] ?? headers["x-gitea-delivery"] ?? headers["x-github-delivery"],
  read(headers, payload) {
    const event = headers["x-forgejo-event"] ?? headers["x-gitea-event"] ?? headers["x-github-event"];
    if (event === "push") return push(payload);
    return event === "pull_request" ? pull(payload) : undefined;
  },
};
