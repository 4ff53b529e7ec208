import { isProvider } from "./hooks/providers.js";

/** What somebody wants a repository to be. */
export interface RepositoryWish {
  readonly provider: string;
  readonly url: string;
  readonly secret: string;
  /** Empty for none. */
  readonly accessToken: string;
}

const longestUrl = 2_048;
const longestSecret = 255;
const written = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)/i;

const tooLong = (name: string, text: string, most: number): string[] =>
  [...text].length > most ? [`${name} cannot be longer than ${most} characters in length`] : [];

function aboutProvider(provider: string): string[] {
  if (provider === "") return ["Provider field required"];
  return isProvider(provider) ? [] : [`Provider invalid provider ${provider}`];
}

/**
 * Only http and https: the manifests are read over them, through the guard. `blocked` says whether an address may be
 * connected to at all; names are judged by what they resolve to, at each connection.
 */
function aboutUrl(url: string, blocked: (url: URL) => boolean): string[] {
  if (url === "") return ["Url field required"];
  const [, scheme = "", authority = ""] = written.exec(url) ?? [];
  if (!/^https?$/i.test(scheme)) return ["Url invalid url scheme"];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (host === "" || host.startsWith(":") || !URL.canParse(url)) return ["Url missing host"];
  const { pathname, search, hash } = new URL(url);
  const complaints = tooLong("Url", url, longestUrl);
  if (authority.includes("@")) complaints.push("Url cannot contain credentials");
  if (blocked(new URL(url))) complaints.push("Url address not allowed");
  const isPath = pathname.replaceAll("/", "") !== "" && search === "" && hash === "" && !/[\s\p{Cc}]/u.test(url);
  if (!isPath) complaints.push("Url invalid repository path");
  return complaints;
}

function aboutSecret(secret: string): string[] {
  return secret === "" ? ["Secret field required"] : tooLong("Secret", secret, longestSecret);
}

// It is sent as a header.
function aboutToken(token: string): string[] {
  const isPlain = /^[\x21-\x7e]*$/.test(token);
  return [...tooLong("Access_token", token, longestSecret), ...(isPlain ? [] : ["Access_token invalid access token"])];
}

/** Everything that is wrong, by field; no complaints where nothing is. */
export function repositoryComplaints(wish: RepositoryWish, blocked: (url: URL) => boolean) {
  return {
    provider: aboutProvider(wish.provider),
    url: aboutUrl(wish.url, blocked),
    secret: aboutSecret(wish.secret),
    access_token: aboutToken(wish.accessToken),
  };
}

/** Host and path of a repository, whichever way its address is written: as a URL of any scheme, or as `user@host:path`. */
function addressOf(url: string): string {
  const short = /^(?:[^@/]+@)?([^:/@]+):(?!\/\/)(.*)$/.exec(url);
  const [host, path] = short
    ? [short[1]!, short[2]!]
    : URL.canParse(url)
      ? [new URL(url).hostname, new URL(url).pathname]
      : ["", url];
  return `${host.toLowerCase()}/${path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "")}`;
}

/** Whether two addresses are of the same repository: scheme, user and port do not count. */
export const sameRepository = (one: string, other: string): boolean => addressOf(one) === addressOf(other);
