import { createHmac, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { aBuild } from "@ci/testkit/builders";
import { constellation, created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type GitRepository, type GitServer, gitServer } from "@ci/testkit/git-server";
import { notRun } from "@ci/testkit/not-run";
import { hasCurl, type Shell, shellAt } from "@ci/testkit/shell";
import { blocksOf, url } from "./_docs.js";

const [secret, accessToken] = ["hush", "t0ken"];
const [start, settings = "", ...steps] = blocksOf("docs/tutorial.md");
const [once, follow, clone, connect, push, deliveries, schedule] = steps as [string, ...string[]];

if (!hasCurl()) notRun("the tutorial", "curl is not installed");
else {
  const ci = constellation({ runner: true, settings: { PUBLIC_URL: url } });
  let server: GitServer;
  let git: GitRepository;
  let sh: Shell;
  beforeAll(async () => {
    server = await gitServer();
    git = await server.repository("you/hello.git");
    await git.commit({ README: "hello" });
    await git.git("symbolic-ref", "HEAD", "refs/heads/main");
    await git.git("config", "http.receivepack", "true");
    sh = await shellAt({ url, origin: ci.origin }, {});
    await writeFile(join(sh.dir, ".gitconfig"), "[user]\nname = Grace\nemail = grace@example.com\n");
    // What `npm start` runs first.
    created(await ci.admin.post("/builds", aBuild()));
  });
  afterAll(async () => {
    await sh[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** Runs lines of the page in a terminal with a reader's own values, in the folder where the lines before have ended. */
  function run(lines = ""): Promise<string> {
    const mine: Record<string, string> = {
      ...{ URL: url, TOKEN: ci.adminToken, REPOSITORY: git.url, PROVIDER: "github" },
      ...{ SECRET: secret, ACCESS_TOKEN: accessToken },
    };
    const exports = settings.replace(/^export (\w+)=.*$/gm, (_line, name: string) => `export ${name}='${mine[name]}'`);
    return sh.run(`cd "$(cat ~/folder || pwd)"\n${exports}\n${lines}\npwd > ~/folder`);
  }

  const passed = (path: string) =>
    eventually(async () => expect((await ci.admin.get(path)).json).toMatchObject({ status: "passed" }));

  test("every line of the tutorial works as the page says", async () => {
    expect([start, steps.length]).toEqual(["npm start\n", 7]);

    expect(JSON.parse(await run(once))).toMatchObject({ number: 2, status: "queued" });
    const output = await run(follow);
    expect(output).toContain('data: {"status":"passed"}');
    expect(output).toMatch(/README\n$/);
    expect(await readFile(join(sh.dir, "files.txt"), "utf8")).toBe("README\n");

    await run(clone);
    expect(await run(connect)).toContain('"hook":"registered"');
    const hook = server.apiRequests.map(({ body }) => body.toString()).find((body) => body.includes("/hooks/github/1"));
    expect(hook).toContain(secret);

    await run(push);
    const sha = await git.git("rev-parse", "main");
    expect(await sendPush(sha)).toMatchObject({ status: 202, json: { builds: [`${url}/b/admin/3`] } });
    const made = await run(deliveries);
    expect(made).toContain('"status":"built"');
    expect(made).toContain(`Building ${sha} of main`);
    await passed("/b/admin/3");

    expect(await run(schedule)).toContain('"schedule":"hourly"');
    await passed("/b/admin/4");
  });

  /** Sends what GitHub sends after a push. */
  function sendPush(sha: string) {
    const head_commit = { id: sha, message: "Build", author: { email: "grace@example.com", username: "grace" } };
    const body = JSON.stringify({ ref: "refs/heads/main", after: sha, head_commit, repository: { id: 1 } });
    return ci.as().send("POST", "/hooks/github/1", {
      body,
      headers: {
        "Content-Type": "application/json",
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": randomUUID(),
        "X-Hub-Signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
      },
    });
  }
}
