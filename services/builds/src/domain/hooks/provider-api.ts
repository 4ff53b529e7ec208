import type { Repository_Provider } from "@ci/proto/builds/v1/repositories";

/** The address of a repository in its provider's API, and the headers that authenticate a request. */
interface RepositoryApi {
  /** Without trailing slash. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function parseCloneUrl(cloneUrl: string): { base: string; owner: string; name: string; host: string } {
  const { origin, pathname, host } = new URL(cloneUrl);
  const parts = pathname.split("/").filter((part) => part !== "");
  const name = (parts.pop() ?? "").replace(/\.git$/, "");
  const owner = parts.pop() ?? "";
  return { base: [origin, ...parts].join("/"), owner, name, host };
}

const apis: Readonly<Record<Repository_Provider, (cloneUrl: string, token: string) => RepositoryApi>> = {
  github(cloneUrl, token) {
    const { base, owner, name, host } = parseCloneUrl(cloneUrl);
    const api = /^(www\.)?github\.com$/.test(host) ? "https://api.github.com" : `${base}/api/v3`;
    const headers = { Authorization: `Bearer ${token}`, Accept: "application/vnd.github+json" };
    return { url: `${api}/repos/${owner}/${name}`, headers };
  },
  gitea(cloneUrl, token) {
    const { base, owner, name } = parseCloneUrl(cloneUrl);
    const headers = { Authorization: `token ${token}`, Accept: "application/json" };
    return { url: `${base}/api/v1/repos/${owner}/${name}`, headers };
  },
  // Uses the host's root as the API's base. GitLab's groups nest to any depth, so the path does not reveal the base.
  gitlab(cloneUrl, token) {
    const { origin, pathname } = new URL(cloneUrl);
    const path = decodeURIComponent(pathname)
      .replace(/^\/+|\/+$/g, "")
      .replace(/\.git$/, "");
    const headers = { "PRIVATE-TOKEN": token, Accept: "application/json" };
    return { url: `${origin}/api/v4/projects/${encodeURIComponent(path)}`, headers };
  },
};

const knownHosts: Readonly<Record<string, Repository_Provider>> = {
  "github.com": "github",
  "www.github.com": "github",
  "gitlab.com": "gitlab",
  "gitea.com": "gitea",
  "codeberg.org": "gitea",
};

/** Returns the provider of a repository at a well-known host. */
export const providerByHost = (cloneUrl: string): Repository_Provider | undefined => {
  const { host } = new URL(cloneUrl);
  return Object.hasOwn(knownHosts, host) ? knownHosts[host] : undefined;
};

/** Returns the API of a repository. An empty token is not sent. */
export function repositoryApi(
  { provider, cloneUrl }: { readonly provider: Repository_Provider; readonly cloneUrl: string },
  token: string,
): RepositoryApi {
  const { url, headers } = apis[provider](cloneUrl, token);
  const sent = token === "" ? {} : headers;
  return {
    url,
    headers: { Accept: "application/json", ...sent, "Content-Type": "application/json", "User-Agent": "Service-CI" },
  };
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Reports whether a provider refused a request only because of its rate limit. GitHub also does that with 403. */
export const isRateLimited = ({ status, headers, body }: ApiResponse): boolean =>
  status === 429 ||
  (status === 403 &&
    (headers["retry-after"] !== undefined ||
      headers["x-ratelimit-remaining"] === "0" ||
      body.includes("secondary rate limit")));

/** Returns how long a provider that limits the rate asks to wait; 0 if it does not say. */
export function waitMsOf({ headers }: Pick<ApiResponse, "headers">): number {
  const { "retry-after": pause = "", "x-ratelimit-remaining": left, "x-ratelimit-reset": reset, date = "" } = headers;
  if (/^\d+$/.test(pause)) return Number(pause) * 1_000;
  const untilResetMs = left === "0" ? Number(reset) * 1_000 - Date.parse(date) : 0;
  return Number.isFinite(untilResetMs) ? untilResetMs : 0;
}
