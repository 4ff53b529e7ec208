import type { AssignedVariable } from "@ci/proto/builds/v1/queue";
import type { BuildDoc } from "./build.js";
import { type HookChange, shortComment, shortText } from "./hooks/change.js";

/** Data from a hook and its commit. Strangers may have written it, so use it only as values of variables. */
export interface CommitFacts extends Pick<HookChange, "ref" | "before" | "targetBranch" | "defaultBranch"> {
  /** The number of the pull request. */
  readonly request?: string;
  readonly message: string;
  readonly author: string;
  readonly email: string;
}

/** Returns the facts about a commit for its builds, with long texts cut. */
export function commitFacts(
  { type, id, ref, before, targetBranch, defaultBranch }: HookChange,
  commit: { readonly message: string; readonly author: string; readonly email: string },
): CommitFacts {
  return {
    ref,
    ...(type === "pull" && id !== undefined ? { request: id } : {}),
    ...(before === undefined ? {} : { before }),
    ...(targetBranch === undefined ? {} : { targetBranch }),
    ...(defaultBranch === undefined ? {} : { defaultBranch }),
    message: shortComment(commit.message),
    author: shortText(commit.author),
    email: shortText(commit.email),
  };
}

/** Returns the path of a repository at its provider, such as `owner/name`. */
function repositoryPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
}

type Facts = Readonly<Record<string, string | undefined>>;

function ofCommit({ origin }: BuildDoc): Facts {
  if (!origin) return {};
  const { url, sha, ref = "", request } = origin;
  const [, kind, name] = /^refs\/(heads|tags)\/(.*)$/s.exec(ref) ?? [];
  return {
    CI_REPOSITORY: repositoryPath(url),
    CI_REPOSITORY_URL: url,
    CI_COMMIT: sha,
    CI_COMMIT_BEFORE: origin.before,
    CI_COMMIT_MESSAGE: origin.message,
    CI_COMMIT_AUTHOR: origin.author,
    CI_COMMIT_AUTHOR_EMAIL: origin.email,
    CI_REF: ref,
    // The ref of a request is the plain name of its branch, if it has one.
    CI_BRANCH: kind === "heads" ? name : request === undefined || ref.startsWith("refs/") ? undefined : ref,
    CI_TAG: kind === "tags" ? name : undefined,
    CI_PULL_REQUEST: request,
    CI_TARGET_BRANCH: origin.targetBranch,
    CI_DEFAULT_BRANCH: origin.defaultBranch,
  };
}

/** Returns the `CI_*` variables of a build, without those that do not apply. */
export function factsOf(doc: BuildDoc, publicUrl?: string): AssignedVariable[] {
  const { user, namespace } = doc.names ?? {};
  const facts: Facts = {
    CI: "true",
    CI_BUILD: String(doc.number),
    CI_BUILD_ID: String(doc._id),
    CI_BUILD_URL: publicUrl && user && `${publicUrl}/b/${encodeURIComponent(user)}/${doc.number}`,
    CI_USER: user,
    CI_NAMESPACE: namespace,
    CI_EVENT: doc.trigger?.type,
    CI_ATTEMPT: String(doc.epoch),
    ...ofCommit(doc),
  };
  return Object.entries(facts).flatMap(([key, given]) => {
    // Commits may contain NUL, which variables cannot.
    const value = given?.replaceAll("\0", "") ?? "";
    return value === "" ? [] : [{ key, value, masked: false }];
  });
}
