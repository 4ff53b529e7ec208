import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { Repository_Provider } from "@ci/proto/builds/v1/repositories";
import { repositoryApi } from "./provider-api.js";

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

/** The first of these verdicts that any build or delivery has applies to the commit. */
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

export interface Outcome<B> {
  readonly wrong?: boolean;
  readonly reasons?: readonly string[];
  readonly builds: readonly B[];
}

/** Returns the common outcome of a commit's deliveries, by the same precedence; undefined if none has an outcome. */
export function verdictOfAll<B extends { readonly status: Build_Status }>(outcomes: readonly Outcome<B>[]) {
  const all = outcomes.flatMap(({ builds, wrong = false, reasons }) => {
    const one = verdictOf(builds, wrong);
    return one ? [{ ...one, complaint: wrong ? reasons?.[0] : undefined }] : [];
  });
  return precedence.flatMap((verdict) => all.filter((one) => one.verdict === verdict))[0];
}

const descriptions: Readonly<Record<Verdict, string>> = {
  pending: "The build is in progress",
  success: "The build has passed",
  failure: "The build has failed",
  error: "The commit could not be built",
  cancelled: "The build was killed",
};

export interface Status {
  readonly provider: Repository_Provider;
  readonly cloneUrl: string;
  readonly sha: string;
  readonly verdict: Verdict;
  readonly targetUrl?: string;
  readonly accessToken: string;
  /** Why the commit could not be built. */
  readonly complaint?: string;
}

interface StatusRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const context = "service-ci";
/** GitHub rejects longer descriptions. */
const maxDescriptionLength = 140;

function describe({ complaint, verdict }: Status): string {
  const text = (complaint ?? descriptions[verdict]).replace(/[\p{Cc}\s]+/gu, " ").trim();
  const characters = [...text];
  if (characters.length <= maxDescriptionLength) return text;
  return `${characters.slice(0, maxDescriptionLength - 1).join("")}…`;
}

const gitlabStates: Readonly<Record<Verdict, string>> = {
  pending: "pending",
  success: "success",
  failure: "failed",
  error: "failed",
  cancelled: "canceled",
};

function bodyOf(status: Status): object {
  const { provider, verdict, targetUrl: target_url } = status;
  const description = describe(status);
  return provider === "gitlab"
    ? { state: gitlabStates[verdict], target_url, description, name: context }
    : { state: verdict === "cancelled" ? "error" : verdict, target_url, description, context };
}

export function statusRequest(status: Status): StatusRequest {
  const { url, headers } = repositoryApi(status, status.accessToken);
  return { url: `${url}/statuses/${status.sha}`, headers, body: JSON.stringify(bodyOf(status)) };
}
