import { type HookChange, type Provider, validChange } from "./change.js";
import { filesOfNewRef } from "./changed-files.js";
import { listAt, numberAt, textAt } from "./payload.js";
import { equalTexts } from "./signature.js";

function push(payload: unknown): HookChange | undefined {
  // For an annotated tag `after` is the tag object. For a deletion `checkout_sha` is null and `after` all zeros.
  const sha = textAt(payload, "checkout_sha") || textAt(payload, "after");
  const head = listAt(payload, "commits").find((commit) => textAt(commit, "id") === sha);
  const before = textAt(payload, "before");
  return validChange({
    type: "push",
    repoId: textAt(payload, "project", "id") || textAt(payload, "project_id"),
    ref: textAt(payload, "ref"),
    sha,
    comment: textAt(head, "message"),
    email: textAt(head, "author", "email") || textAt(payload, "user_email"),
    username: textAt(payload, "user_username"),
    fork: false,
    before,
    defaultBranch: textAt(payload, "project", "default_branch"),
    files: filesOfNewRef(before, listAt(payload, "commits"), numberAt(payload, "total_commits_count")),
  });
}

/** Reports whether a merge request has new commits. An update has `oldrev` only then. */
const isBuilt = (action: string, payload: unknown): boolean =>
  action === "open" ||
  action === "reopen" ||
  (action === "update" && textAt(payload, "object_attributes", "oldrev") !== "");

function merge(payload: unknown): HookChange | undefined {
  const of = (...path: string[]) => textAt(payload, "object_attributes", ...path);
  const action = of("action");
  if (!isBuilt(action, payload)) return undefined;
  const source = of("source_project_id");
  return validChange({
    type: "pull",
    repoId: of("target_project_id"),
    ref: of("source_branch"),
    sha: of("last_commit", "id"),
    comment: of("title"),
    email: of("last_commit", "author", "email"),
    username: textAt(payload, "user", "username"),
    before: of("oldrev"),
    targetBranch: of("target_branch"),
    defaultBranch: textAt(payload, "project", "default_branch"),
    fork: source === "" || source !== of("target_project_id"),
    id: of("iid"),
    action,
  });
}

/** The header arrives as Latin-1, though it is UTF-8, and without outer spaces. */
function isToken(given: string, secret: string): boolean {
  const expected = secret.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, "");
  return expected !== "" && equalTexts(Buffer.from(given, "latin1").toString(), expected);
}

/** GitLab, hosted or self-managed. It sends the secret itself instead of a signature. */
export const gitlab: Provider = {
  isSigned: (headers, _hmac, secret) => isToken(headers["x-gitlab-token"] ?? "", secret),
  // Newer versions send a key that is the same in each retry.
  deliveryId: (headers) => headers["idempotency-key"] ?? headers["x-gitlab-event-uuid"],
  event: (_headers, payload) => textAt(payload, "object_kind"),
  built: { push: "push", tag_push: "push", merge_request: "pull" },
  actions: ["open", "reopen", "update"],
  read(_headers, payload) {
    const kind = textAt(payload, "object_kind");
    if (kind === "push" || kind === "tag_push") return push(payload);
    return kind === "merge_request" ? merge(payload) : undefined;
  },
};
