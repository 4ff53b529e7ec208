import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import { Repository_Forks } from "@ci/proto/builds/v1/repositories";
import { isProvider } from "./hooks/providers.js";

interface RepositoryInput {
  readonly provider: string;
  readonly url: string;
  readonly secret: string;
  readonly accessToken: string;
  readonly forks: string;
}

interface RepositoryChangeInput {
  readonly secret?: string;
  readonly accessToken?: string;
  readonly forks?: string;
}

const maxUrlLength = fixedLimit({
  max: 2_048,
  about: "characters of the address of a repository",
  refusal: "Url cannot be longer than N characters in length",
});
const maxSecretLength = fixedLimit({
  max: 255,
  about: "characters of the secret or access token of a repository",
  refusal: "Secret cannot be longer than N characters in length",
});
const urlParts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)/i;

const tooLong = (name: string, text: string, max: number): string[] =>
  [...text].length > max ? [`${name} cannot be longer than ${max} characters in length`] : [];

function providerComplaints({ provider, url }: RepositoryInput): string[] {
  if (provider === "")
    return url === ""
      ? ["Provider field required"]
      : [
          "Provider field required; no provider known at this address shows the repository. " +
            "Check the address and the access token, or say github, gitlab or gitea",
        ];
  return isProvider(provider)
    ? []
    : [`Provider invalid provider ${quoted(provider)}; it must be github, gitlab or gitea`];
}

/** GitLab's API takes the decoded path. */
function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== "";
  } catch {
    return false;
  }
}

/** `blocked` reports whether an IP address is refused. Host names are checked at each connection instead. */
function urlComplaints(url: string, blocked: (url: URL) => boolean): string[] {
  if (url === "") return ["Url field required"];
  const [, scheme = "", authority = ""] = urlParts.exec(url) ?? [];
  if (!/^https?$/i.test(scheme)) return ["Url invalid url scheme; it must be http or https"];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (host === "" || host.startsWith(":") || !URL.canParse(url)) return ["Url missing host"];
  const { pathname, search, hash } = new URL(url);
  const complaints = tooLong("Url", url, maxUrlLength);
  if (authority.includes("@")) complaints.push("Url cannot contain credentials; use access_token");
  if (blocked(new URL(url))) complaints.push("Url address not allowed; the operator can allow it in CI_GUARD_ALLOW");
  const isPath = pathname.replaceAll("/", "") !== "" && search === "" && hash === "" && !/[\s\p{Cc}]/u.test(url);
  if (!isPath || !isDecodable(pathname))
    complaints.push(
      "Url invalid repository path; give the address that git clones, such as https://example.com/team/app.git",
    );
  return complaints;
}

function secretComplaints(secret: string): string[] {
  return secret.trim() === "" ? ["Secret field required"] : tooLong("Secret", secret, maxSecretLength);
}

// The token is sent in a header, so it must be printable ASCII.
function tokenComplaints(token: string): string[] {
  const isPlain = /^[\x21-\x7e]*$/.test(token);
  return [
    ...tooLong("Access_token", token, maxSecretLength),
    ...(isPlain ? [] : ["Access_token invalid access token; it must be printable ASCII without spaces"]),
  ];
}

export const isForks = (text: string): text is Repository_Forks => Object.hasOwn(Repository_Forks, text);

const forksComplaints = (forks: string): string[] =>
  forks === "" || isForks(forks) ? [] : [`Forks invalid forks ${quoted(forks)}; it must be approve, run or ignore`];

/** Complains about a change of a repository. Empty texts change nothing. */
export const changeComplaints = ({ secret = "", accessToken = "", forks = "" }: RepositoryChangeInput) => ({
  secret: secret === "" ? [] : secretComplaints(secret),
  access_token: tokenComplaints(accessToken),
  forks: forksComplaints(forks),
});

export function repositoryComplaints(input: RepositoryInput, blocked: (url: URL) => boolean) {
  return {
    provider: providerComplaints(input),
    url: urlComplaints(input.url, blocked),
    secret: secretComplaints(input.secret),
    access_token: tokenComplaints(input.accessToken),
    forks: forksComplaints(input.forks),
  };
}

/** Returns what all addresses of a repository on its server have in common. */
export function urlKey(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, "").replace(/\.git$/, "")}`;
}

/** Returns host and path of a repository address: a URL of any scheme, or `user@host:path`. */
function addressOf(url: string): string {
  const short = /^(?:[^@/]+@)?([^:/@]+):(?!\/\/)(.*)$/.exec(url);
  const [host, path] = short
    ? [short[1]!, short[2]!]
    : URL.canParse(url)
      ? [new URL(url).hostname, new URL(url).pathname]
      : ["", url];
  return `${host.toLowerCase()}/${path.replace(/^\/+|(?<!\/)\/+$/g, "").replace(/\.git$/, "")}`;
}

/** Reports whether two addresses are of the same repository, whatever their scheme, user and port. */
export const sameRepository = (one: string, other: string): boolean => addressOf(one) === addressOf(other);
