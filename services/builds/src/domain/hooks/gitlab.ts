import { type HookChange, type Provider, valid } from "./change.js";
import { listAt, textAt } from "./payload.js";
import { same } from "./signature.js";

function push(payload: unknown): HookChange | undefined {
  // Of an annotated tag `after` is the tag; of a deletion `checkout_sha` is null and `after` all zeros.
  const sha = textAt(payload, "checkout_sha") || textAt(payload, "after");
  const head = listAt(payload, "commits").find((commit) => textAt(commit, "id") === sha);
  return valid({
    type: "push",
    repoId: textAt(payload, "project", "id") || textAt(payload, "project_id"),
    ref: textAt(payload, "ref"),
    sha,
    comment: textAt(head, "message"),
    email: textAt(head, "author", "email") || textAt(payload, "user_email"),
    username: textAt(payload, "user_username"),
    fork: false,
  });
}

/** An update of a request tells the commit before it if, and only if, there are new commits. */
const isBuilt = (action: string, payload: unknown): boolean =>
  action === "open" ||
  action === "reopen" ||
  (action === "update" && textAt(payload, "object_attributes", "oldrev") !== "");

function merge(payload: unknown): HookChange | undefined {
  const of = (...path: string[]) => textAt(payload, "object_attributes", ...path);
  const action = of("action");
  if (!isBuilt(action, payload)) return undefined;
  const source = of("source_project_id");
  return valid({
    type: "pull",
    repoId: of("target_project_id"),
    ref: of("source_branch"),
    sha: of("last_commit", "id"),
    comment: of("title"),
    email: of("last_commit", "author", "email"),
    username: textAt(payload, "user", "username"),
    fork: source === "" || source !== of("target_project_id"),
    id: of("iid"),
    action,
  });
}

/** GitLab, also on a host of one's own. It sends the secret itself. */
export const gitlab: Provider = {
  signed: (headers, _body, secret) => same(headers["x-gitlab-token"] ?? "", secret),
  // Newer versions name a delivery by a key that retries repeat.
  deliveryId: (headers) => headers["idempotency-key"] ?? headers["x-gitlab-event-uuid"],
  read(_headers, payload) {
    const kind = textAt(payload, "object_kind");
    if (kind === "push" || kind === "tag_push") return push(payload);
    return kind === "merge_request" ? merge(payload) : undefined;
  },
};
