import { createHmac } from "node:crypto";

// Payloads of the providers, reduced to the fields that matter here. Their shapes follow the public documentation.

export const zeros = "0".repeat(40);
const before = "95790bf891e76fee5e1747ab589903a6a1f80f22";

/** The fields of a delivery that a test can choose. */
export interface DeliveryOptions {
  readonly sha?: string;
  readonly ref?: string;
  readonly message?: string;
  readonly action?: string;
  /** The pull request comes from another repository. */
  readonly fork?: boolean;
  /** A request that was pushed to `refs/for/main/...` of the repository itself. */
  readonly agit?: boolean;
  /** Number of the pull request. */
  readonly number?: number;
  /** The commit before. */
  readonly from?: string;
  /** The files that a push of GitHub or Gitea changes; by default those of a single README. */
  readonly files?: readonly string[];
}

const sha1 = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7";
const author = { name: "Grace Hopper", email: "grace@example.com", username: "grace" };

const githubRepository = {
  id: 35129377,
  name: "hello",
  full_name: "octo/hello",
  owner: { id: 1, login: "octo" },
  html_url: "https://github.com/octo/hello",
  clone_url: "https://github.com/octo/hello.git",
  default_branch: "main",
};

const headCommit = (sha: string, message: string) => ({
  id: sha,
  tree_id: "f9d2a07e9488b91af2641b26b9407fe22a451433",
  distinct: true,
  message,
  url: `https://github.com/octo/hello/commit/${sha}`,
  author,
  committer: author,
  added: [],
  removed: [],
  modified: ["README.md"],
});

/** What a push is about. */
const pushed = ({
  sha = sha1,
  ref = "refs/heads/main",
  message = "Fix it",
  from = before,
  files = ["README.md"],
}: DeliveryOptions = {}) => ({ sha, ref, message, from, files });

export const github = {
  push: (options?: DeliveryOptions) => {
    const { sha, ref, message, from, files } = pushed(options);
    return {
      ref,
      before: from,
      after: sha,
      created: false,
      deleted: false,
      forced: false,
      base_ref: null,
      compare: "https://github.com/octo/hello/compare/95790bf891e7...da1560886d4f",
      commits: [{ ...headCommit(sha, message), modified: files }],
      head_commit: headCommit(sha, message),
      repository: githubRepository,
      pusher: { name: "pusher", email: "pusher@example.com" },
      sender: { id: 2, login: "pusher" },
    };
  },
  branchDeleted: () => ({
    ...github.push(),
    after: zeros,
    deleted: true,
    commits: [],
    head_commit: null,
  }),
  pull: ({
    sha = sha1,
    ref = "feature",
    action = "opened",
    fork = false,
    number = 7,
    from = before,
  }: DeliveryOptions = {}) => ({
    action,
    number,
    pull_request: {
      id: 191568743,
      number,
      state: action === "closed" ? "closed" : "open",
      title: "Add a feature",
      user: { id: 3, login: "grace" },
      body: "Please",
      head: {
        label: `grace:${ref}`,
        ref,
        sha,
        repo: fork ? { id: 99, full_name: "stranger/hello", fork: true } : { id: 35129377, full_name: "octo/hello" },
      },
      base: { label: "octo:main", ref: "main", sha: from, repo: { id: 35129377, full_name: "octo/hello" } },
      merged: false,
    },
    repository: githubRepository,
    sender: { id: 3, login: "grace" },
  }),
};

const project = {
  id: 15,
  name: "Hello",
  web_url: "https://gitlab.example.com/octo/hello",
  git_http_url: "https://gitlab.example.com/octo/hello.git",
  path_with_namespace: "octo/hello",
  default_branch: "main",
};

export const gitlab = {
  push: (options?: DeliveryOptions) => {
    const { sha, ref, message, from } = pushed(options);
    return {
      object_kind: "push",
      event_name: "push",
      before: from,
      after: sha,
      ref,
      ref_protected: true,
      checkout_sha: sha,
      message: null,
      user_id: 4,
      user_name: "Grace Hopper",
      user_username: "grace",
      user_email: "",
      project_id: 15,
      project,
      commits: [
        { id: before, message: "Older", author: { name: "Other", email: "other@example.com" } },
        { id: sha, message, title: message, author: { name: "Grace Hopper", email: "grace@example.com" } },
      ],
      total_commits_count: 2,
    };
  },
  tagPush: (options: DeliveryOptions = {}) => ({
    ...gitlab.push({ ref: "refs/tags/v1.0.0", ...options }),
    object_kind: "tag_push",
    event_name: "tag_push",
    before: zeros,
    message: "A tag",
    commits: [],
    total_commits_count: 0,
  }),
  branchDeleted: () => ({ ...gitlab.push(), after: zeros, checkout_sha: null, commits: [], total_commits_count: 0 }),
  merge: ({ sha = sha1, ref = "feature", action = "open", fork = false }: DeliveryOptions = {}) => ({
    object_kind: "merge_request",
    event_type: "merge_request",
    user: { id: 1, name: "Grace Hopper", username: "grace", email: "[REDACTED]" },
    project,
    object_attributes: {
      id: 99,
      iid: 7,
      target_branch: "main",
      source_branch: ref,
      source_project_id: fork ? 16 : 15,
      target_project_id: 15,
      title: "Add a feature",
      state: action === "close" ? "closed" : "opened",
      last_commit: { id: sha, message: "Fix it", author: { name: "Grace Hopper", email: "grace@example.com" } },
      action,
      ...(action === "update" ? { oldrev: before } : {}),
    },
    labels: [],
    changes: {},
  }),
};

const giteaRepository = {
  id: 140,
  owner: { id: 1, login: "octo" },
  name: "hello",
  full_name: "octo/hello",
  html_url: "https://gitea.example.com/octo/hello",
  clone_url: "https://gitea.example.com/octo/hello.git",
  default_branch: "main",
};

export const gitea = {
  push: (options?: DeliveryOptions) => {
    const { sha, ref, message, from, files } = pushed(options);
    return {
      ref,
      before: from,
      after: sha,
      compare_url: "https://gitea.example.com/octo/hello/compare/95790bf...da15608",
      commits: [{ id: sha, message, author, committer: author, added: [], removed: [], modified: files }],
      total_commits: 1,
      head_commit: { id: sha, message, author, committer: author },
      repository: giteaRepository,
      pusher: { id: 1, login: "pusher", email: "pusher@example.com", username: "pusher" },
      sender: { id: 1, login: "pusher" },
    };
  },
  branchDeleted: () => ({ ...gitea.push(), after: zeros, commits: [], head_commit: null }),
  pull: ({ action = "opened", ...options }: DeliveryOptions = {}) => ({
    ...github.pull({ action, ...options }),
    pull_request: {
      ...github.pull({ action, ...options }).pull_request,
      user: { id: 3, login: "grace", email: "grace@example.com" },
      head: {
        ...github.pull(options).pull_request.head,
        ...(options.agit ? { label: "", ref: "refs/pull/7/head" } : {}),
        repo: { id: options.fork ? 141 : 140 },
      },
      base: { label: "main", ref: "main", sha: options.from ?? before, repo: { id: 140 } },
    },
    repository: giteaRepository,
  }),
};

const hmac = (secret: string, body: Buffer) => createHmac("sha256", secret).update(body).digest("hex");

/** A signed delivery as a provider sends it. */
export interface SignedRequest {
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export function fromGithub(event: string, payload: object, secret: string, delivery: string): SignedRequest {
  const body = Buffer.from(JSON.stringify(payload));
  const headers = {
    "content-type": "application/json",
    "x-github-event": event,
    "x-github-delivery": delivery,
    "x-hub-signature-256": `sha256=${hmac(secret, body)}`,
  };
  return { headers, body };
}

export function fromGitlab(event: string, payload: object, secret: string, delivery: string): SignedRequest {
  const headers = {
    "content-type": "application/json",
    "x-gitlab-event": event,
    "x-gitlab-event-uuid": delivery,
    "x-gitlab-token": secret,
  };
  return { headers, body: Buffer.from(JSON.stringify(payload)) };
}

export function fromGitea(event: string, payload: object, secret: string, delivery: string): SignedRequest {
  const body = Buffer.from(JSON.stringify(payload));
  const headers = {
    "content-type": "application/json",
    "x-gitea-event": event,
    "x-gitea-delivery": delivery,
    "x-gitea-signature": hmac(secret, body),
    "x-github-event": event,
    "x-github-delivery": delivery,
    "x-hub-signature-256": `sha256=${hmac(secret, body)}`,
  };
  return { headers, body };
}
