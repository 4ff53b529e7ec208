// Runs the built binary, cli/dist/main.js.
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { aDisk } from "@ci/testkit/a-disk";
import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { Ci, manifestOf } from "./_ci.js";

const ci = constellation();
let ann: SignedUp;
let user: Ci;
beforeAll(async () => {
  ann = await ci.signUp();
  user = new Ci();
  await user.run(["login", `${ci.origin}/api`], { input: ann.token });
});
afterAll(() => user[Symbol.dispose]());

test("a variable is created from standard input, listed, changed and deleted by name", async () => {
  const created = await user.run(["vars", "create", "PASSWORD", "--value", "-", "--mask", "-n", "team"], {
    input: "secret-1\n",
  });
  expect(created).toMatchObject({ code: 0, stderr: "" });
  expect(created.stdout).toMatch(/^value +xxxxxx$/m);
  expect(created.stdout).toMatch(new RegExp(`^namespace +team@${ann.username}$`, "m"));
  const rows = (await user.out("vars", "list", "-n", "team")).trim().split("\n");
  expect(rows).toEqual([expect.stringMatching(new RegExp(`^\\d+\tPASSWORD\txxxxxx\tyes\tteam@${ann.username}\t`))]);
  await user.out("vars", "update", "PASSWORD", "--value", "plain-2", "--mask", "false");
  expect(await user.json("vars", "show", "PASSWORD")).toMatchObject({ value: "plain-2", masked: false });
  expect(await user.out("vars", "list", "-q")).toBe("PASSWORD\n");
  await user.out("vars", "delete", "PASSWORD");
  expect(await user.json("vars", "list")).toEqual([]);
  const again = await user.run(["vars", "delete", "PASSWORD"]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing is called "PASSWORD"') });
});

test("a name that several records have is refused with their ids", async () => {
  for (const namespace of ["one", "two"]) await user.out("vars", "create", "X", "--value", "v", "-n", namespace);
  const { code, stderr } = await user.run(["vars", "show", "X"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/Several records are called "X"\. Choose one by its id: \d+, \d+/),
  ]);
  expect((await user.json("vars", "show", "X", "-n", "two")).namespace.path).toBe("two");
});

test("a list over several pages is printed whole, or up to its limit", async () => {
  const keys = Array.from({ length: 30 }, (_, n) => `K${n + 10}`);
  for (const key of keys) await ann.post("/variables", { key, value: "v", namespace: "many" });
  expect((await user.out("vars", "list", "-n", "many", "-q")).trim().split("\n")).toEqual(keys);
  expect(await user.out("vars", "list", "-n", "many", "-q", "--limit", "2")).toBe("K10\nK11\n");
});

test("an object and an image are downloaded by their names", async () => {
  await user.out("ns", "create", "stored");
  await user.run(["objects", "create", "ca.crt", "-", "-n", "stored"], { input: "content" });
  const into = join(user.folder, "objects");
  const download = ["objects", "download", "ca.crt", "-n", "stored", "-C", into];
  expect(await user.out(...download)).toBe(`${into}/ca.crt\n`);
  expect(readFileSync(join(into, "ca.crt"), "utf8")).toBe("content");
  expect(await user.run(download)).toMatchObject({ code: 0, stderr: `${into}/ca.crt already exists\n` });
  writeFileSync(join(into, "ca.crt"), "another");
  expect(await user.run(download)).toMatchObject({ code: 1, stderr: expect.stringContaining("Use --force") });
  writeFileSync(join(user.folder, "disk"), aDisk());
  await user.out("images", "create", "disk", "disk", "-q");
  expect(await user.out("images", "download", "disk", "-C", into)).toBe(`${into}/disk\n`);
  expect(readFileSync(join(into, "disk")).equals(aDisk())).toBe(true);
});

test("files are uploaded, and keys are read from files", async () => {
  writeFileSync(join(user.folder, "ca.pem"), "content");
  const { sha256 } = await user.json("objects", "create", "ca.pem", "ca.pem");
  expect(sha256).toMatch(/^ed7002b439e9ac84/);
  const piped = await user.run(["objects", "create", "piped", "-", "--json"], { input: "content" });
  expect(JSON.parse(piped.stdout)).toMatchObject({ name: "piped", size: 7, sha256 });
  const { code, stderr } = await user.run(["objects", "create", "none", "missing.txt"]);
  expect([code, stderr]).toEqual([2, "The file missing.txt does not exist\n"]);
  for (const words of [
    ["objects", "create", "none", "."],
    ["keys", "create", "none", "--key", "."],
    ["lint", "."],
  ])
    expect(await user.run(words)).toEqual({ code: 2, stdout: "", stderr: ". is a folder. Name a file\n" });
  execFileSync("mkfifo", [join(user.folder, "pipe")]);
  const [named] = await Promise.all([
    user.json("objects", "create", "named-pipe", "pipe"),
    writeFile(join(user.folder, "pipe"), "content"),
  ]);
  expect(named).toMatchObject({ size: 7, sha256 });
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(join(user.folder, "id"), privateKey.export({ type: "pkcs8", format: "pem" }));
  expect(await user.json("keys", "create", "deploy", "--key", "id")).toMatchObject({ name: "deploy" });
});

test("a link signs a browser in, which is listed and signed out", async () => {
  const [, link] = (await user.out("sessions", "link", "-q")).trim().split("/-/sign-in#");
  expect((await ci.as().post("/session", { link })).status).toBe(201);
  const [session, ...others] = await user.json("sessions", "list");
  expect([session.address, others]).toEqual(["127.0.0.1", []]);
  await user.out("sessions", "delete", String(session.id));
  expect(await user.out("sessions", "list", "-q")).toBe("");
});

test("namespaces are created, invited to and deleted, which asks first", async () => {
  const bob = await ci.signUp();
  await user.out("ns", "create", "top");
  await user.out("ns", "create", "sub", "--parent", "top", "--description", "below");
  expect(await user.json("ns", "show", `top/sub@${ann.username}`)).toMatchObject({ description: "below" });
  await user.out("ns", "invite", "top", bob.username);
  const env = { CI_SERVER: `${ci.origin}/api`, CI_TOKEN: bob.token };
  const invites = await user.run(["invites", "list", "-q"], { env });
  expect(await user.run(["invites", "accept", invites.stdout.trim(), "-q"], { env })).toMatchObject({
    ...{ code: 0, stdout: `top@${ann.username}\n` },
  });
  expect(await user.out("ns", "members", "top", "-q")).toBe(`${bob.username}\n`);
  expect(await user.run(["ns", "delete", "tpo"])).toMatchObject({
    ...{ code: 1, stderr: "There is no such record, or you may not see it\n" },
  });
  const asked = await user.run(["ns", "delete", "top"]);
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("Add --yes")]);
  expect((await user.run(["ns", "delete", "top", "--yes"])).code).toBe(0);
  expect((await user.run(["ns", "show", "top"])).code).toBe(1);
});

test("webhooks, repositories, cron jobs, tokens and users are managed", async () => {
  await user.out("ns", "create", "hooked");
  const url = "http://127.0.0.1:9/hook";
  const hook = await user.json("webhooks", "create", url, "-n", "hooked", "--events", "cron,images");
  expect(hook).toMatchObject({ payload_url: url, events: ["cron", "images"] });
  const empty = { code: 2, stdout: "", stderr: "The value of --secret is empty\n" };
  for (const words of [
    ["create", `${url}/2`, "--secret", ""],
    ["create", `${url}/2`, "--secret", "-"],
    ["update", String(hook.id), "--secret", ""],
  ])
    expect(await user.run(["webhooks", ...words, "-n", "hooked"], { input: "\n" })).toEqual(empty);
  expect(await user.json("webhooks", "update", url, "-n", "hooked", "--active", "false")).toMatchObject({
    active: false,
  });
  expect(await user.out("webhooks", "deliveries", String(hook.id), "-n", "hooked")).toBe("");
  expect(await user.json("webhooks", "retry", url, "-n", "hooked", "--since", "2026-01-01T00:00:00Z")).toEqual({
    count: 0,
    at_least: false,
  });
  await user.out("webhooks", "delete", String(hook.id), "-n", "hooked");
  const connect = [
    "repos",
    "create",
    "gitea",
    "http://127.0.0.1:9/a/b.git",
    "--secret",
    "shared-secret",
    "-n",
    "hooked",
  ];
  expect((await user.run(connect)).stderr).toMatch(/^At the provider, add a JSON webhook .*\/hooks\/gitea\/\d+\n$/);
  expect(await user.out("repos", "list", "-n", "hooked")).toContain("\tgitea\thttp://127.0.0.1:9/a/b.git\tapprove\t");
  expect(await user.run(["repos", "run", "http://127.0.0.1:9/a/b.git", "main", "-n", "hooked"])).toMatchObject({
    ...{ code: 1, stdout: "", stderr: expect.stringContaining("Ref repository could not be read") },
  });
  writeFileSync(join(user.folder, "nightly.yml"), manifestOf(["true"]));
  await user.out("cron", "create", "nightly", "--schedule", "daily", "-m", "nightly.yml");
  const build = await user.out("cron", "run", "nightly", "-q");
  expect(build).toMatch(new RegExp(`^${ann.username}/\\d+\n$`));
  expect(await user.out("cron", "builds", "nightly", "-q")).toBe(build);
  await user.out("tag", build.trim(), "a/b", "c", "c/");
  const had = { code: 0, stdout: "", stderr: "The build has these tags already\n" };
  expect(await user.run(["tag", build.trim(), "c"])).toEqual(had);
  const refused = {
    code: 2,
    stdout: "",
    stderr: '"d e" cannot be a tag. Use a-z, A-Z, 0-9 and -_./ only, and not just . or ..\n',
  };
  expect(await user.run(["tag", build.trim(), "d", "d e"])).toEqual(refused);
  await user.out("untag", build.trim(), "a/b");
  await user.out("untag", build.trim(), "c/");
  expect(await user.json("pin", build.trim())).toMatchObject({ pinned: true, tags: expect.arrayContaining(["c"]) });
  const secret = await user.out("tokens", "create", "short", "--scope", "build:read", "-q");
  const env = { CI_SERVER: `${ci.origin}/api`, CI_TOKEN: secret.trim() };
  expect(await user.run(["kill", build.trim()], { env })).toEqual({
    ...{ code: 1, stdout: "", stderr: expect.stringMatching(/^Token lacks permission build:delete. Sign in with/) },
  });
  await user.out("tokens", "delete", "short");
  expect((await user.run(["list"], { env })).code).toBe(2);
  const admin = { CI_SERVER: `${ci.origin}/api`, CI_TOKEN: ci.adminToken };
  expect(await user.run(["users", "create", "carl", "carl@example.com", "-q"], { env: admin })).toMatchObject({
    stdout: "carl\n",
  });
});

let sent = 0;

test("people see the queue as tables", async () => {
  const admin = { CI_SERVER: `${ci.origin}/api`, CI_TOKEN: ci.adminToken };
  const { code, stdout } = await user.run(["queue", "--hours", "1"], { env: admin });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^os\t\d+\t\d+\t\d+$/m)]);
  expect(stdout).toContain("\nHistory, in periods of 1 min\n");
  expect(stdout).not.toMatch(/[{"]/);
});

test("events of a namespace are printed as they happen", async () => {
  await user.out("ns", "create", "watched");
  const running = user.start(["events", "watched", "-f", "--json"]);
  const one = user.start(["events", "watched", "--kind", "variables"]);
  await eventually(async () => {
    await ann.post("/variables", { key: `E${sent++}`, value: "v", namespace: "watched" });
    expect(running.stdout.split("\n").length).toBeGreaterThan(2);
    expect(one.stdout).not.toBe("");
  });
  expect(JSON.parse(running.stdout.split("\n")[0]!)).toMatchObject({ event: "variables", data: { action: "created" } });
  expect(await one.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\tvariables\tcreated E\d+\n$/) });
  running.child.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
});

test("without a namespace, events of all that a user may see are printed", async () => {
  await user.out("ns", "create", "seen");
  const running = user.start(["events", "-f", "-q"]);
  const after = user.start(["events", "--after", "0", "--kind", "build.submitted"]);
  await eventually(async () => {
    await ann.post("/variables", { key: `S${sent++}`, value: "v", namespace: "seen" });
    expect(running.stdout).toContain("variables");
  });
  expect((await ann.post("/builds", { manifest: manifestOf(["true"]) })).json.namespace).toBeNull();
  await eventually(() => expect(running.stdout).toContain("build.submitted\n"));
  expect((await after.ended).stdout).toContain(`\tbuild.submitted\t`);
  running.child.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
});

test("open hands the public URL of a build to the browser", async () => {
  const opened = join(user.folder, "opened");
  writeFileSync(join(user.folder, "browser"), `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 });
  const { json } = await ann.post("/builds", { manifest: manifestOf(["true"]) });
  const ran = await user.run(["open", String(json.number)], { env: { BROWSER: join(user.folder, "browser") } });
  expect(ran).toEqual({ code: 0, stdout: `${json.url}\n`, stderr: "" });
  await eventually(() => expect(readFileSync(opened, "utf8")).toBe(json.url));
  expect(await user.run(["open", "last"], { env: { BROWSER: "/nowhere" } })).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining("The browser did not start") },
  });
});
