import { once } from "node:events";
import { parseAllow } from "@ci/kit/net/guard";
import type { Source } from "@ci/proto/builds/v1/queue";
import { type GitServer, gitServer } from "@ci/testkit/git-server";
import { anAssignment } from "./_assignment.js";
import { type Booted, inMoreTime } from "./_suite.js";

/** Lets the runner read repositories on this machine. */
export const guard = { allow: parseAllow("127.0.0.1") };

/** Defines tests of sources for a driver whose environment has no git. */
export function cloneTests(booted: Booted, driver: NonNullable<ReturnType<typeof anAssignment>["driver"]>): void {
  let server: GitServer;
  /** Aborts when a test lets the server answer again. */
  let stalled: AbortController | undefined;
  beforeAll(async () => {
    server = await gitServer({
      async before() {
        if (stalled && !stalled.signal.aborted) await once(stalled.signal, "abort");
        return undefined;
      },
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());
  let count = 0;

  const cloned = (source: Source, ...commands: string[]) => {
    const assignment = anAssignment({ driver }, [], commands);
    const [prepare, clone, ...jobs] = assignment.jobs;
    return booted.run({ ...assignment, jobs: [prepare!, { ...clone!, source }, ...jobs] });
  };

  async function repository(filters: boolean) {
    const made = await server.repository(`${++count}.git`, { filters });
    const first = await made.commit({ "a b/c": "deep", run: "#!/bin/sh\necho ran\n", target: "run" });
    const id = (path: string) => made.git("rev-parse", `${first}:${path}`);
    await made.git("read-tree", first);
    await made.git("update-index", "--add", "--cacheinfo", `100755,${await id("run")},run`);
    await made.git("update-index", "--add", "--cacheinfo", `120000,${await id("target")},link`);
    const sha = await made.git("commit-tree", await made.git("write-tree"), "-m", "second");
    await made.git("update-ref", "refs/heads/main", sha);
    await made.git("symbolic-ref", "HEAD", "refs/heads/main");
    await made.git("tag", "-a", "v1", "-m", "tagged", sha);
    const old = await made.git("commit-tree", await made.git("rev-parse", `${first}^{tree}`), "-m", "of a request");
    // Names of a tag and of a branch: the default one and another.
    for (const ref of ["refs/pull/7/head", "refs/tags/main", "refs/heads/both"]) await made.git("update-ref", ref, old);
    await made.git("update-ref", "refs/tags/both", sha);
    return { url: made.url, sha, old };
  }

  test.each([
    ["a server that filters", true],
    ["a server that sends all files", false],
  ])("the runner fetches a source from %s", async (_what, filters) => {
    const { url, sha, old } = await repository(filters);
    for (const ref of ["", "main", "v1", "both", sha]) {
      const { outcomes, text } = await cloned(
        { url, ref, directory: "to $here" },
        'cd "to \\$here"',
        "./link",
        "cat 'a b/c'",
      );
      expect({ ref, outcomes, text }).toEqual({
        ref,
        outcomes: ["passed", "passed", "passed"],
        text: expect.any(String),
      });
      expect(text).toMatch(`the runner fetches the files of commit ${sha}, without the history\n`);
      expect(text).toMatch(/\nran\n.*deep/s);
    }
    // With a depth, git prefers the branch.
    for (const source of [{ ref: old }, { ref: "both", depth: 1 }]) {
      const { outcomes } = await cloned({ url, directory: "x", ...source }, "test ! -x x/run");
      expect({ source, outcomes }).toEqual({ source, outcomes: ["passed", "passed", "passed"] });
    }
  });

  test("a source larger than the limit fails", async () => {
    const made = await server.repository(`${++count}.git`);
    await made.git("symbolic-ref", "HEAD", "refs/heads/main");
    await made.commit({ a: "x".repeat(600 * 1024), b: "y".repeat(600 * 1024) });
    const { outcomes, text } = await cloned({ url: made.url, ref: "", directory: "x" }, "echo never");
    expect(outcomes).toEqual(["passed", "failed"]);
    expect(text).toContain("The repository could not be fetched: it is larger than 1 MiB, the limit of CLONE_LIMIT\n");
  });

  test.each([
    ["an unknown ref", { ref: "none" }, "The repository has no ref none"],
    ["an unknown commit", { ref: "1".repeat(40) }, "The repository could not be fetched: "],
    ["a private address", { url: "http://10.0.0.1/a.git" }, "The repository could not be fetched: address not allowed"],
    ["a repository that needs ssh", { url: "git@127.0.0.1:a.git" }, "no git"],
    ["submodules", { submodules: true }, "no git"],
  ])("a source fails for %s", async (_what, more, why) => {
    const { url } = await repository(true);
    const { outcomes, text } = await cloned({ url, ref: "", directory: "x", ...more }, "echo never");
    expect(outcomes).toEqual(["passed", "failed"]);
    expect(text).toMatch(why);
  });

  test("a source whose folder is longer than any path fails before it runs anything", async () => {
    const { url } = await repository(true);
    const { outcomes, text } = await cloned({ url, ref: "", directory: "a/".repeat(2_049) }, "echo never");
    expect(outcomes).toEqual(["passed", "failed"]);
    expect(text).toContain("the folder of the source is longer than 4096 characters\n");
    expect(text).not.toContain("mkdir");
  });

  test("a server that stalls leaves its time to the jobs for failures", async () => {
    const { url } = await repository(true);
    const before = server.gitRequests.length;
    stalled = new AbortController();
    try {
      const build = await inMoreTime(
        (buildTimeoutMs) => {
          const assignment = anAssignment({ driver, buildTimeoutMs }, [], ["echo clean"]);
          const [prepare, clone, clean] = assignment.jobs;
          const source = { url, ref: "", directory: "x" };
          const onFailure = { skipAfterSuccess: true, runAfterFailure: true };
          return booted.run({ ...assignment, jobs: [prepare!, { ...clone!, source }, { ...clean!, ...onFailure }] });
        },
        ({ outcomes }) => outcomes[0] === "passed" && server.gitRequests.length > before,
      );
      expect(build.outcomes).toEqual(["passed", "timed_out", "passed"]);
      expect(build.text).toMatch(/\nBuild timed out after .*\n\+ echo clean\nclean\n$/);
    } finally {
      stalled.abort();
    }
  });
}
