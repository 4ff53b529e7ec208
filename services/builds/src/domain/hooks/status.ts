import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { Repository_Provider } from "@ci/proto/builds/v1/repositories";

/** The status of a commit. `cancelled` is sent as an error to providers that have no name for it. */
export type Verdict = "pending" | "success" | "failure" | "error" | "cancelled";

const verdicts: Readonly<Record<Build_Status, Verdict>> = {
  queued: "pending",
  running: "pending",
  passed: "success",
  passed_with_failures: "success",
  failed: "failure",
  killed: "cancelled",
  timed_out: "error",
};

/** The first of these that a build has is the verdict on all builds of a commit. */
const precedence: readonly Verdict[] = ["pending", "error", "cancelled", "failure", "success"];

/** Returns the common outcome; undefined without builds. `wrong` means an invalid manifest or unreadable repository. */
export function verdictOf<B extends { readonly status: Build_Status }>(
  builds: readonly B[],
  wrong: boolean,
): { readonly verdict: Verdict; readonly build?: B } | undefined {
  if (wrong) return { verdict: "error", build: builds[0] };
  const verdict = precedence.find((one) => builds.some((build) => verdicts[build.status] === one));
  return verdict && { verdict, build: builds.find((build) => verdicts[build.status] === verdict) };
}

const descriptions: Readonly<Record<Verdict, string>> = {
  pending: "The build is under way",
  success: "The build has passed",
  failure: "The build has failed",
  error: "The commit could not be built",
  cancelled: "The build was killed",
};

export interface Status {
  readonly provider: Repository_Provider;
  readonly cloneUrl: string;
  readonly repoId: string;
  readonly sha: string;
  readonly verdict: Verdict;
  readonly targetUrl?: string;
  readonly accessToken: string;
  /** Why the commit could not be built. */
  readonly complaint?: string;
}

export interface StatusRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const context = "service-ci";
/** GitHub accepts no longer descriptions. */
const maxDescriptionLength = 140;

/** Returns a description on one line. */
function describe({ complaint, verdict }: Status): string {
  const text = (complaint ?? descriptions[verdict]).replace(/[\p{Cc}\s]+/gu, " ").trim();
  const characters = [...text];
  if (characters.length <= maxDescriptionLength) return text;
  return `${characters.slice(0, maxDescriptionLength - 1).join("")}…`;
}

function parseCloneUrl(cloneUrl: string): { base: string; owner: string; name: string; host: string } {
  const { origin, pathname, host } = new URL(cloneUrl);
  const parts = pathname.split("/").filter((part) => part !== "");
  const name = (parts.pop() ?? "").replace(/\.git$/, "");
  const owner = parts.pop() ?? "";
  return { base: [origin, ...parts].join("/"), owner, name, host };
}

function github(status: Status): StatusRequest {
  const { base, owner, name, host } = parseCloneUrl(status.cloneUrl);
  const api = /^(www\.)?github\.com$/.test(host) ? "https://api.github.com" : `${base}/api/v3`;
  return {
    url: `${api}/repos/${owner}/${name}/statuses/${status.sha}`,
    headers: { Authorization: `Bearer ${status.accessToken}`, Accept: "application/vnd.github+json" },
    body: JSON.stringify(common(status)),
  };
}

function gitea(status: Status): StatusRequest {
  const { base, owner, name } = parseCloneUrl(status.cloneUrl);
  return {
    url: `${base}/api/v1/repos/${owner}/${name}/statuses/${status.sha}`,
    headers: { Authorization: `token ${status.accessToken}`, Accept: "application/json" },
    body: JSON.stringify(common(status)),
  };
}

const common = (status: Status) => ({
  state: status.verdict === "cancelled" ? "error" : status.verdict,
  target_url: status.targetUrl,
  description: describe(status),
  context,
});

const gitlabStates: Readonly<Record<Verdict, string>> = {
  pending: "pending",
  success: "success",
  failure: "failed",
  error: "failed",
  cancelled: "canceled",
};

/** Uses the host's root as the API's base. GitLab's groups nest to any depth, so the path does not reveal the base. */
function gitlab(status: Status): StatusRequest {
  const { cloneUrl, repoId, sha, verdict, targetUrl, accessToken } = status;
  return {
    url: `${new URL(cloneUrl).origin}/api/v4/projects/${encodeURIComponent(repoId)}/statuses/${sha}`,
    headers: { "PRIVATE-TOKEN": accessToken, Accept: "application/json" },
    body: JSON.stringify({
      state: gitlabStates[verdict],
      target_url: targetUrl,
      description: describe(status),
      name: context,
    }),
  };
}

const requests = { github, gitlab, gitea };

export function statusRequest(status: Status): StatusRequest {
  const { headers, ...request } = requests[status.provider](status);
  return { ...request, headers: { ...headers, "Content-Type": "application/json", "User-Agent": "Service-CI" } };
}
