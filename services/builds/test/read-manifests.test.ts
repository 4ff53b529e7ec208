import { openRemote } from "@ci/git/remote";
import { parseAllow } from "@ci/kit/net/guard";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { type GitServer, gitServer } from "@ci/testkit/git-server";
import { readManifests } from "../src/git/manifests.js";

const agent = guardedAgent({ allow: parseAllow("127.0.0.1/32") });
const closed = guardedAgent({ allow: parseAllow("") });
let server: GitServer;
let overrides: Parameters<typeof gitServer>[0] = {};
beforeAll(async () => {
  server = await gitServer({ before: (request) => overrides?.before?.(request) });
});
beforeEach(() => {
  overrides = {};
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await agent.close();
  await closed.close();
});

const defaults = {
  agent,
  signal: new AbortController().signal,
  timeoutMs: 600_000,
  maxBytes: 1024 * 1024,
  maxObjects: 50_000,
};
const read = async (url: string, sha: string, other: Partial<Parameters<typeof openRemote>[0]> = {}) =>
  readManifests(await openRemote({ ...defaults, url, ...other }), sha, { most: 50, maxBytes: 100_000 });
const failure = (url: string, sha: string, other = {}) =>
  read(url, sha, other).then(
    () => "read",
    (error) => error.message,
  );

const files = {
  "README.md": "read me",
  ".service-ci.yml": "one: 1\n",
  ".service-ci/b.yml": "two: 2\n",
  ".service-ci/a b.yml": "three: 3\n",
  ".service-ci/note.txt": "none",
  ".service-ci/deep/c.yml": "none",
  "src/.service-ci.yml": "none",
};
const found = [
  { path: ".service-ci.yml", text: "one: 1\n" },
  { path: ".service-ci/a b.yml", text: "three: 3\n" },
  { path: ".service-ci/b.yml", text: "two: 2\n" },
];

describe("succeeds", () => {
  it.each([
    ["that filters", { filters: true }],
    ["that does not filter", { filters: false }],
    ["with SHA-256 ids", { format: "sha256" as const }],
  ])("reads the manifests of a commit from a server %s", async (name, options) => {
    const repository = await server.repository(`${name}.git`.replaceAll(" ", "-"), options);
    const sha = await repository.commit(files, "refs/heads/main", "first line\n\nmore");
    await repository.commit({ other: "x" });
    expect(await read(repository.url, sha)).toEqual({
      ...{ sha, message: "first line\n\nmore", author: "Grace", email: "grace@example.com" },
      manifests: found,
    });
  });

  it("reads the commit of an annotated tag, and a commit of no branch", async () => {
    const repository = await server.repository("tagged.git");
    const sha = await repository.commit(files, "refs/pull/7/head");
    await repository.git("tag", "-a", "-m", "a tag", "v1", sha);
    const tag = await repository.git("rev-parse", "v1");
    expect(tag).not.toBe(sha);
    expect(await read(repository.url, tag)).toMatchObject({ sha, manifests: found });
    expect(await read(repository.url, sha)).toMatchObject({ sha, manifests: found });
  });

  it("finds no manifests in a commit that lacks them, and ignores symbolic links", async () => {
    const repository = await server.repository("none.git");
    expect(await read(repository.url, await repository.commit({ a: "a" }))).toMatchObject({ manifests: [] });
    const id = await repository.git("hash-object", "-w", "--stdin");
    await repository.git("update-index", "--add", "--cacheinfo", `120000,${id},.service-ci.yml`);
    const tree = await repository.git("write-tree");
    const sha = await repository.git("commit-tree", tree, "-m", "a link");
    expect(await read(repository.url, sha)).toMatchObject({ sha, manifests: [] });
  });

  it("reads objects that are sent as deltas", async () => {
    const repository = await server.repository("deltas.git", { filters: false });
    const long = Array.from({ length: 400 }, (_, n) => `line ${n} of a long file\n`).join("");
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`.service-ci/${n}.yml`, `${long}${n}\n`]));
    const sha = await repository.commit(many);
    await repository.git("repack", "-a", "-d", "-f", "--depth=20", "--window=40");
    const { manifests } = await read(repository.url, sha);
    expect(Object.fromEntries(manifests.map(({ path, text }) => [path, text]))).toEqual(many);
  });

  it("returns the beginning of manifests that are too large", async () => {
    const repository = await server.repository("too-large.git");
    const all = Array.from({ length: 3 }, (_, n) => [`.service-ci/${n}.yml`, `${n}`.padEnd(200_000, "x")] as const);
    const sha = await repository.commit(Object.fromEntries([...all, [".service-ci/copy.yml", all[0]![1]]]));
    const { manifests } = await read(repository.url, sha, { maxBytes: 10 * 1024 ** 2 });
    expect(new Set(manifests.map(({ text }) => text.length))).toEqual(new Set([100_001]));
    expect(manifests.find(({ path }) => path.endsWith("copy.yml"))).toMatchObject({
      text: all[0]![1].slice(0, 100_001),
    });
  });

  it("fetches only the manifests, not a commit's other files", async () => {
    const repository = await server.repository("large.git");
    const sha = await repository.commit({ ...files, large: "x".repeat(3 * 1024 * 1024) });
    expect(await read(repository.url, sha, { maxBytes: 4_096 })).toMatchObject({ manifests: found });
  });

  it("sends credentials and follows a redirect within the host", async () => {
    const repository = await server.repository("moved.git");
    const sha = await repository.commit(files);
    const authorizations: (string | undefined)[] = [];
    overrides = {
      before(request) {
        authorizations.push(request.headers.authorization);
        if (!request.url!.startsWith("/moved/")) return undefined;
        return { status: 301, headers: { Location: request.url!.replace("/moved/", "/moved.git/") } };
      },
    };
    expect(await read(`${server.url}/moved`, sha, { credentials: "u:p" })).toMatchObject({ manifests: found });
    expect(new Set(authorizations)).toEqual(new Set([`Basic ${Buffer.from("u:p").toString("base64")}`]));
  });
});

describe("failures", () => {
  it("an unknown commit, and an object that is not a commit", async () => {
    const repository = await server.repository("absent.git");
    await repository.commit(files);
    expect(await failure(repository.url, "1".repeat(40))).toBe("commit not found");
    const blob = await repository.git("rev-parse", "main:README.md");
    expect(await failure(repository.url, blob)).toBe("not a commit");
  });

  it("no repository, no git server, and an old protocol", async () => {
    expect(await failure(`${server.url}/nothing.git`, "1".repeat(40))).toBe("unexpected status 404");
    overrides = { before: () => ({ status: 200, body: "<html>" }) };
    expect(await failure(`${server.url}/x.git`, "1".repeat(40))).toBe("malformed answer");
    overrides = { before: () => ({ status: 200, body: "001e# service=git-upload-pack\n0000" }) };
    expect(await failure(`${server.url}/x.git`, "1".repeat(40))).toBe("not a git server of protocol version 2");
  });

  it("a repository that is too large, packed or unpacked", async () => {
    const repository = await server.repository("bomb.git", { filters: false });
    const sha = await repository.commit({ ...files, bomb: "0".repeat(3 * 1024 * 1024) });
    expect(await failure(repository.url, sha)).toBe("repository too large");
    expect(await failure(repository.url, sha, { maxBytes: 100 })).toBe("repository too large");
  });

  it("an address that is not allowed, and a redirect to another host", async () => {
    const repository = await server.repository("guarded.git");
    const sha = await repository.commit(files);
    expect(await failure(repository.url, sha, { agent: closed })).toBe("address not allowed");
    const other = await gitServer();
    overrides = { before: ({ url }) => ({ status: 302, headers: { Location: `${other.url}${url}` } }) };
    expect(await failure(repository.url, sha, { credentials: "u:p" })).toBe("unexpected status 302");
    expect(other.gitRequests).toEqual([]);
    await other[Symbol.asyncDispose]();
  });

  it("a server that takes too long", async () => {
    overrides = { before: () => new Promise(() => undefined) };
    expect(await failure(`${server.url}/slow.git`, "1".repeat(40), { timeoutMs: 50 })).toBe("timeout");
  });
});
