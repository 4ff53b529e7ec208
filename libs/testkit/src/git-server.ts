import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Answer, Received } from "./receiver.js";

export interface GitRepository {
  readonly url: string;
  /** Commits exactly these files, by path, moves `ref` to the commit and returns its id. */
  commit(files: Readonly<Record<string, string>>, ref?: string, message?: string): Promise<string>;
  git(...args: string[]): Promise<string>;
}

export interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** Requests to the API, oldest first. */
  readonly apiRequests: readonly Received[];
  /** Requests for repositories: method and path. */
  readonly gitRequests: readonly string[];
  repository(path: string, options?: { filters?: boolean; format?: "sha1" | "sha256" }): Promise<GitRepository>;
}

export interface GitServerOptions {
  readonly answer?: (request: Received) => Answer | Promise<Answer>;
  /** Answers instead of git unless it returns undefined. */
  readonly before?: (request: IncomingMessage) => Answer | undefined | Promise<Answer | undefined>;
}

const [name, email] = ["Grace", "grace@example.com"];
const author = {
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
};

function run(
  directory: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input = "",
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: directory, env: { PATH: process.env.PATH, HOME: directory, ...author, ...env } };
    const child = execFile("git", ["-c", "core.filesRefLockTimeout=-1", ...args], options, (error, stdout) =>
      error ? reject(error) : resolve(stdout.trim()),
    );
    // The command may end before it reads its input.
    child.stdin!.on("error", () => undefined).end(input);
  });
}

let commits = 0;

async function commit(
  directory: string,
  files: Readonly<Record<string, string>>,
  ref: string,
  message: string,
): Promise<string> {
  const index = join(directory, `index-${process.hrtime.bigint()}`);
  const git = (args: string[], input?: string) => run(directory, args, { GIT_INDEX_FILE: index }, input);
  for (const [path, text] of Object.entries(files)) {
    const id = await git(["hash-object", "-w", "--stdin"], text);
    await git(["update-index", "--add", "--cacheinfo", `100644,${id},${path}`]);
  }
  const tree = await git(["write-tree"]);
  const GIT_COMMITTER_DATE = `${1_700_000_000 + commits++} +0000`;
  const sha = await run(directory, ["commit-tree", tree, "-m", message], { GIT_COMMITTER_DATE });
  await git(["update-ref", ref, sha]);
  await rm(index, { force: true });
  return sha;
}

async function serveGit(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = "", query = ""] = request.url!.split("?");
  const protocol = request.headers["git-protocol"];
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      ...(protocol ? { GIT_PROTOCOL: String(protocol) } : {}),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
  const output = await buffer(child.stdout);
  const end = output.indexOf("\r\n\r\n");
  const headers = output
    .toString("latin1", 0, end)
    .split("\r\n")
    .map((line) => line.split(": ") as [string, string]);
  const status = Number(headers.find(([name]) => name === "Status")?.[1]?.slice(0, 3) ?? 200);
  response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== "Status")));
  response.end(output.subarray(end + 4));
}

/** Starts a git server over HTTP that also plays a provider's API. Disposing removes its repositories. */
export async function gitServer({
  answer = () => ({ status: 201 }),
  before = () => undefined,
}: GitServerOptions = {}): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), "ci-git-"));
  const apiRequests: Received[] = [];
  const gitRequests: string[] = [];
  const write = (response: ServerResponse, { status, headers, body }: Answer) =>
    void response.writeHead(status, headers).end(body);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    if (path.includes("/api/")) {
      const received = { method, path, headers, at: new Date(), body: await buffer(request) };
      apiRequests.push(received);
      return write(response, await answer(received));
    }
    gitRequests.push(`${method} ${path}`);
    const instead = await before(request);
    if (instead) return write(response, instead);
    await serveGit(root, request, response);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    apiRequests,
    gitRequests,
    async repository(path, { filters = true, format = "sha1" } = {}) {
      const directory = join(root, path);
      await run(root, ["init", "-q", "--bare", `--object-format=${format}`, directory]);
      if (filters) await run(directory, ["config", "uploadpack.allowFilter", "true"]);
      return {
        url: `${url}/${path}`,
        commit: (files, ref = "refs/heads/main", message = "a commit") => commit(directory, files, ref, message),
        git: (...args) => run(directory, args),
      };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
      await rm(root, { recursive: true, force: true });
    },
  };
}
