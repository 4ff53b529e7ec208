import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";
import { type GitObject, type HashName, readPack } from "./pack.js";
import { delimiter, flush, lineOf, packet, packets } from "./packets.js";

/** Where a repository is and how it is asked. */
export interface RemoteOptions {
  readonly agent: ReturnType<typeof guardedAgent>;
  /** Clone URL, http or https. */
  readonly url: string;
  /** User and password, `user:password`; none for a repository that everybody may read. */
  readonly credentials?: string;
  /** For everything that is asked of it together. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** What an answer may have at most, and all objects in it together. */
  readonly mostBytes: number;
}

/** A repository somewhere else, of which single objects are asked for. */
export interface Remote {
  readonly hash: HashName;
  /** These objects, and perhaps others. Throws when one of them is not there, or may not be read. */
  get(...ids: readonly string[]): Promise<ReadonlyMap<string, GitObject>>;
}

const service = "git-upload-pack";
const question = `/info/refs?service=${service}`;

const headersOf = ({ credentials }: RemoteOptions) => ({
  "Git-Protocol": "version=2",
  "User-Agent": "git/2.0 (Service-CI)",
  ...(credentials ? { Authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } : {}),
});

/** One request; everything but 200 is a failure that names the status and no address. */
async function ask(options: RemoteOptions, url: string, body?: string) {
  const { agent, signal, timeoutMs, mostBytes: maxBodyBytes } = options;
  const posting = body && {
    "Content-Type": `application/x-${service}-request`,
    Accept: `application/x-${service}-result`,
  };
  const headers = { ...headersOf(options), ...posting };
  const method = body ? "POST" : "GET";
  const answer = await guardedFetch(agent, url, { method, headers, body, signal, timeoutMs, maxBodyBytes });
  if (answer.truncated) throw new FetchFailed("repository too large");
  return answer;
}

/** Where a redirect leads that moves the repository within its host: some providers add `.git` so. */
function movedTo(from: string, location: string | undefined): string | undefined {
  if (!location || !URL.canParse(location, from)) return undefined;
  const { href, origin } = new URL(location, from);
  return origin === new URL(from).origin && href.endsWith(question) ? href.slice(0, -question.length) : undefined;
}

/** What the server says about itself, and the address it says it at. One move is followed. */
async function greet(options: RemoteOptions): Promise<{ base: string; said: string[] }> {
  let base = options.url.replace(/\/+$/, "");
  let answer = await ask(options, base + question);
  const moved = answer.status >= 300 && answer.status < 400 ? movedTo(base, answer.headers.location) : undefined;
  if (moved) {
    base = moved;
    answer = await ask(options, base + question);
  }
  if (answer.status !== 200) throw new FetchFailed(`unexpected status ${answer.status}`);
  const said = [...packets(answer.body)].map(lineOf);
  if (!said.includes("version 2")) throw new FetchFailed("not a git server of protocol version 2");
  return { base, said };
}

/** The pack in an answer: sections follow each other, in the last one a byte says what the rest of each line is. */
function packIn(answer: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let inPack = false;
  for (const line of packets(answer)) {
    if (!inPack) {
      if (line.toString("utf8", 0, 4) === "ERR ") throw new FetchFailed("commit not found");
      inPack = lineOf(line) === "packfile";
    } else if (line[0] === 1) pieces.push(line.subarray(1));
    else if (line[0] === 3) throw new FetchFailed("refused by the repository");
  }
  return Buffer.concat(pieces);
}

/**
 * Asks a repository for objects over HTTP, by git's protocol of version 2: no history, and where the server can filter
 * nothing but what was asked for. Every connection is the guarded agent's; no file is written, no program started.
 */
export async function openRemote(options: RemoteOptions): Promise<Remote> {
  const { base, said } = await greet(options);
  const can = said.find((line) => line.startsWith("fetch="))?.slice("fetch=".length) ?? "";
  const filters = can.split(" ").includes("filter");
  const hash: HashName = said.includes("object-format=sha256") ? "sha256" : "sha1";
  const told = said.some((line) => line.startsWith("object-format=")) ? packet(`object-format=${hash}`) : "";
  const had = new Map<string, GitObject>();
  return {
    hash,
    async get(...ids) {
      const missing = ids.filter((id) => !had.has(id));
      if (missing.length === 0) return had;
      const wishes = ["no-progress", "ofs-delta", "deepen 1", ...(filters ? ["filter tree:0"] : [])];
      const lines = [...wishes, ...missing.map((id) => `want ${id}`), "done"].map((line) => packet(`${line}\n`));
      const body = packet("command=fetch") + told + delimiter + lines.join("") + flush;
      const answer = await ask(options, `${base}/${service}`, body);
      if (answer.status !== 200) throw new FetchFailed(`unexpected status ${answer.status}`);
      for (const [id, object] of readPack(packIn(answer.body), hash, options.mostBytes)) had.set(id, object);
      if (missing.some((id) => !had.has(id))) throw new FetchFailed("commit not found");
      return had;
    },
  };
}
