import { type HookChange, type Provider, valid } from "./change.js";
import { at, textAt } from "./payload.js";
import { signs } from "./signature.js";

const builtActions = ["opened", "reopened", "synchronize"];

function push(payload: unknown): HookChange | undefined {
  if (at(payload, "deleted") === true) return undefined;
  return valid({
    type: "push",
    repoId: textAt(payload, "repository", "id"),
    ref: textAt(payload, "ref"),
    // Of an annotated tag `after` is the tag, the head commit is what it names.
    sha: textAt(payload, "head_commit", "id") || textAt(payload, "after"),
    comment: textAt(payload, "head_commit", "message"),
    email: textAt(payload, "head_commit", "author", "email") || textAt(payload, "pusher", "email"),
    username: textAt(payload, "head_commit", "author", "username") || textAt(payload, "pusher", "name"),
    fork: false,
  });
}

/** A request of the repository's own has both ends in it; a fork that is deleted has no repository any more. */
export const isFork = (payload: unknown): boolean => {
  const head = textAt(payload, "pull_request", "head", "repo", "id");
  return head === "" || head !== textAt(payload, "pull_request", "base", "repo", "id");
};

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

/** GitHub, also on a host of one's own. */
export const github: Provider = {
  signed: (headers, body, secret) => signs(headers["x-hub-signature-256"], "sha256=", body, secret),
  deliveryId: (headers) => headers["x-github-delivery"],
  read(headers, payload) {
    const event = headers["x-github-event"];
    if (event === "push") return push(payload);
    return event === "pull_request" ? pull(payload) : undefined;
  },
};
