import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { pacer } from "@ci/kit/turns/pacer";
import { type GitObject, type HashName, readPack } from "./pack.js";
import { budgetOf, tooLargeText } from "./pack-limits.js";
import { delimiter, flush, lineOf, packet, packets } from "./packets.js";

interface RemoteOptions {
  readonly agent: ReturnType<typeof guardedAgent>;
  readonly url: string;
  /** User and password, `user:password`; absent for a public repository. */
  readonly credentials?: string;
  /** Bounds all requests together; `timeoutMs` bounds each one. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The limit of each response, and of all objects that are not forgotten. */
  readonly maxBytes: number;
  /** The limit of all objects together; by default `maxBytes`. */
  readonly totalBytes?: number;
  readonly maxObjects: number;
}

export interface Remote {
  readonly hash: HashName;
  /** Returns these objects and perhaps others. Throws if one of them does not exist or may not be read. */
  get(...ids: readonly string[]): Promise<ReadonlyMap<string, GitObject>>;
  /** Frees the memory of an object. */
  forget(id: string): void;
  /** Returns the id of the commit that one of these refs names, the first that exists; undefined if none does. */
  find(...refs: readonly string[]): Promise<string | undefined>;
  /** Returns the default branch and its commit; undefined if the repository is empty. */
  head(): Promise<Head | undefined>;
}

export interface Head {
  /** As git writes it: `refs/heads/main`. */
  readonly ref: string;
  readonly sha: string;
}

const service = "git-upload-pack";
/** Far more than the capabilities of a server of protocol version 2 take. Older ones list all their branches here. */
const maxCapabilityBytes = fixedLimit({
  max: 256 * 1024,
  unit: "bytes",
  about: "capabilities of a Git server",
  effect: "the repository is not read",
});
const refsPath = `/info/refs?service=${service}`;

const headersOf = ({ credentials }: RemoteOptions) => ({
  "Git-Protocol": "version=2",
  "User-Agent": "git/2.0 (Service-CI)",
  ...(credentials ? { Authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } : {}),
});

async function request(options: RemoteOptions, url: string, maxBodyBytes: number, body?: string) {
  const { agent, signal, timeoutMs } = options;
  const posting = body && {
    "Content-Type": `application/x-${service}-request`,
    Accept: `application/x-${service}-result`,
  };
  const headers = { ...headersOf(options), ...posting };
  const method = body ? "POST" : "GET";
  return guardedFetch(agent, url, { method, headers, body, signal, timeoutMs, maxBodyBytes });
}

/** Returns the new address if a redirect moves the repository within its host; some providers add `.git` so. */
function movedTo(from: string, location: string | undefined): string | undefined {
  if (!location || !URL.canParse(location, from)) return undefined;
  const { href, origin } = new URL(location, from);
  return origin === new URL(from).origin && href.endsWith(refsPath) ? href.slice(0, -refsPath.length) : undefined;
}

async function discover(options: RemoteOptions): Promise<{ base: string; capabilities: string[] }> {
  let base = options.url.replace(/(?<!\/)\/+$/, "");
  let response = await request(options, base + refsPath, maxCapabilityBytes);
  const moved = response.status >= 300 && response.status < 400 ? movedTo(base, response.headers.location) : undefined;
  if (moved) {
    base = moved;
    response = await request(options, base + refsPath, maxCapabilityBytes);
  }
  if (response.status !== 200) throw new FetchFailed(`unexpected status ${response.status}`);
  const capabilities = response.truncated ? [] : [...packets(response.body)].map(lineOf);
  if (!capabilities.includes("version 2")) throw new FetchFailed("not a git server of protocol version 2");
  return { base, capabilities };
}

const packetSlice = 4_096;
const refSliceBytes = 256 * 1024;
const minRefBytes = 40;

/** Extracts the pack from a response, in its memory. In the last section each line's first byte names the channel. */
async function packIn(body: Buffer): Promise<Buffer> {
  const pace = pacer(packetSlice);
  let inPack = false;
  let packBytes = 0;
  for (const line of packets(body)) {
    const turn = pace(1);
    if (turn) await turn;
    if (!inPack) {
      if (line.toString("utf8", 0, 4) === "ERR ") throw new FetchFailed("commit not found");
      inPack = lineOf(line) === "packfile";
    } else if (line[0] === 1) packBytes += line.copy(body, packBytes, 1);
    else if (line[0] === 3) throw new FetchFailed("refused by the repository");
  }
  return body.subarray(0, packBytes);
}

/** Reads `id name attributes`. An annotated tag has the id of its commit as an attribute. */
function refOf(line: string): [name: string, id: string] {
  const [id = "", name = "", ...attributes] = line.split(" ");
  const peeled = attributes.find((one) => one.startsWith("peeled:"));
  return [name, peeled?.slice("peeled:".length) ?? id];
}

/** Yields the lines of an `ls-refs` answer, each of which begins with an id. */
async function* refLines(body: Buffer): AsyncGenerator<string> {
  const pace = pacer(refSliceBytes);
  for (const line of packets(body)) {
    if (line.length < minRefBytes) throw new FetchFailed("malformed answer");
    const turn = pace(line.length);
    if (turn) await turn;
    yield lineOf(line);
  }
}

const headLine = /^([0-9a-f]+) HEAD .*?symref-target:(\S+)/;

/** Opens a repository over git's HTTP protocol, version 2. Fetches no history, writes no file, starts no program. */
export async function openRemote(options: RemoteOptions): Promise<Remote> {
  const { base, capabilities } = await discover(options);
  const fetchFeatures = capabilities.find((line) => line.startsWith("fetch="))?.slice("fetch=".length) ?? "";
  const canFilter = fetchFeatures.split(" ").includes("filter");
  const hash: HashName = capabilities.includes("object-format=sha256") ? "sha256" : "sha1";
  const format = capabilities.some((line) => line.startsWith("object-format=")) ? packet(`object-format=${hash}`) : "";
  const fetched = new Map<string, GitObject>();
  let heldBytes = 0;
  const { maxBytes, totalBytes = maxBytes, maxObjects } = options;
  const total = budgetOf(totalBytes, maxObjects);

  async function ask(command: string, lines: readonly string[]): Promise<Buffer> {
    const body =
      packet(`command=${command}`) + format + delimiter + lines.map((line) => packet(`${line}\n`)).join("") + flush;
    const response = await request(options, `${base}/${service}`, maxBytes, body);
    if (response.truncated) throw new FetchFailed(tooLargeText);
    if (response.status !== 200) throw new FetchFailed(`unexpected status ${response.status}`);
    return response.body;
  }

  async function objectsIn(pack: Buffer): Promise<Map<string, GitObject>> {
    const budget = { ...total, leftBytes: Math.min(maxBytes - heldBytes, total.leftBytes) };
    const before = budget.leftBytes;
    const objects = await readPack(pack, hash, budget);
    total.leftBytes -= before - budget.leftBytes;
    total.leftObjects = budget.leftObjects;
    return objects;
  }

  function forget(id: string): void {
    heldBytes -= fetched.get(id)?.data.length ?? 0;
    fetched.delete(id);
  }

  function keep(id: string, object: GitObject): void {
    forget(id);
    fetched.set(id, object);
    heldBytes += object.data.length;
  }

  return {
    hash,
    async get(...ids) {
      const missing = ids.filter((id) => !fetched.has(id));
      if (missing.length === 0) return fetched;
      const features = ["no-progress", "ofs-delta", "deepen 1", ...(canFilter ? ["filter tree:0"] : [])];
      const wanted = missing.map((id) => `want ${id}`);
      const objects = await objectsIn(await packIn(await ask("fetch", [...features, ...wanted, "done"])));
      for (const [id, object] of objects) keep(id, object);
      if (missing.some((id) => !fetched.has(id))) throw new FetchFailed("commit not found");
      return fetched;
    },
    forget,
    async find(...refs) {
      const body = await ask("ls-refs", ["peel", ...refs.map((ref) => `ref-prefix ${ref}`)]);
      const ids = new Map<string, string>();
      for await (const line of refLines(body)) {
        const [name, id] = refOf(line);
        if (refs.includes(name)) ids.set(name, id);
      }
      return refs.map((ref) => ids.get(ref)).find((id) => id !== undefined);
    },
    async head() {
      for await (const line of refLines(await ask("ls-refs", ["symrefs", "ref-prefix HEAD"]))) {
        const [, sha, ref] = headLine.exec(line) ?? [];
        if (sha !== undefined && ref !== undefined) return { ref, sha };
      }
      return undefined;
    },
  };
}
