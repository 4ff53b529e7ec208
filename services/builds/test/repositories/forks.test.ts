import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import { fault } from "../_suite.js";
import { bootHooks, type Hooked, manifest } from "./_hooks.js";

/** Holds the requests for one repository: deliveries of other tests are still retried. */
let held: (Gate & { path: string }) | undefined;
const before = async ({ url }: { url?: string | undefined }) => {
  if (held && url?.startsWith(held.path)) await held.pass();
  return undefined;
};
const { suite, hooked, build, deliveriesOf, redeliver } = bootHooks({}, { before });
const files = { ".service-ci.yml": manifest };
const isApproved = { status: "queued", queue: { reason: expect.not.stringContaining("approval") } };
const approve = (ref: { userId: number; number: number }, user = suite.users.ann) =>
  suite.as(user, () => suite.builds.approveBuild({ ref }));
const setForks = ({ namespace, record }: Hooked, forks: string) => {
  const change = { namespaceId: namespace.id, id: record.id, removeAccessToken: false, forks };
  return suite.as(suite.users.ann, () => suite.repositories.updateRepository(change));
};

describe("a build of a fork", () => {
  it("waits for approval, and cannot be claimed until a member approves it", async () => {
    const { git, pull } = await hooked();
    const [ref] = await pull({ sha: await git.commit(files), fork: true });
    const waiting = await build(ref!);
    expect(waiting).toMatchObject({ status: "queued", queue: { reason: "waits for approval" } });
    const later = await suite.submit(suite.users.ann);
    expect((await suite.claim())?.buildId).toBe(later.id);
    expect(await suite.claim()).toBeUndefined();
    expect(await fault(approve(ref!, suite.users.eve))).toMatchObject({ code: "not_found" });
    const { build: approved } = await approve(ref!);
    expect(approved?.queue?.reason).not.toBe("waits for approval");
    const claimed = await eventually(async () => {
      const assignment = await suite.claim();
      expect(assignment?.buildId).toBe(waiting.id);
      return assignment!;
    });
    expect(claimed).toMatchObject({ namespaceId: undefined, namespaceOnly: true, variables: [], keys: [] });
    expect((await approve(ref!)).build).toMatchObject({ status: "running" });
  });

  it("is what a Gitea request without a branch makes, also if an older version stored it as the repository's own", async () => {
    const hook = await hooked("gitea");
    const waits = { queue: { reason: "waits for approval" } };
    const [ref] = await hook.pull({ sha: await hook.git.commit(files), agit: true });
    expect(await build(ref!)).toMatchObject(waits);
    const { id } = (await deliveriesOf(hook))[0]!;
    const stored = suite.database().collection("hookDeliveries");
    await stored.updateOne({ repositoryId: hook.record.id, number: id }, { $set: { "change.fork": false } });
    const again = await redeliver(hook, id);
    expect(await build(again)).toMatchObject(waits);
    for (const one of [ref!, again]) await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: one }));
  });

  it("of a new push needs approval again, and replaces one that still waits but not one that was approved", async () => {
    const { git, pull } = await hooked();
    const push = async (text: string) => {
      const [ref] = await pull({ sha: await git.commit({ ...files, text }), fork: true, action: "synchronize" });
      return ref!;
    };
    const first = await push("1");
    const second = await push("2");
    expect(await build(first)).toMatchObject({ status: "killed" });
    await approve(second);
    const third = await push("3");
    expect(await build(second)).toMatchObject(isApproved);
    expect(await build(third)).toMatchObject({ status: "queued", queue: { reason: "waits for approval" } });
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: second }));
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: third }));
    expect(await build(third)).toMatchObject({ status: "killed", queue: undefined });
  });

  it("that waits is killed by an update that makes no build or cannot be read yet, but not by an older update", async () => {
    const hook = await hooked();
    const { git, pull } = hook;
    const update = (sha: string) => pull({ sha, fork: true, action: "synchronize" });
    const invalid = await git.commit({ ".service-ci.yml": "jobs: 1" });
    const skipped = await git.commit(files, "refs/heads/main", "[skip ci]");
    for (const sha of [invalid, skipped, "1".repeat(40)]) {
      const [waiting] = await update(await git.commit({ ...files, text: sha }));
      expect(await update(sha)).toEqual([]);
      expect(await build(waiting!)).toMatchObject({ status: "killed" });
    }
    const older = (await deliveriesOf(hook)).find(({ status }) => status === "built")!;
    expect(await build(await redeliver(hook, older.id))).toMatchObject({ status: "killed" });
    const [newest] = await update(await git.commit({ ...files, text: "newest" }));
    expect(await build(await redeliver(hook, older.id))).toMatchObject({ status: "killed" });
    expect(await build(newest!)).toMatchObject({ queue: { reason: "waits for approval" } });
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref: newest }));
  });

  it("that waits is killed when its repository is set to ignore forks; approved builds and those of other repositories stay", async () => {
    const [hook, other] = [await hooked(), await hooked()];
    const pull = async ({ git, pull }: Hooked, number: number) => {
      const [ref] = await pull({ sha: await git.commit({ ...files, text: `${number}` }), fork: true, number });
      return ref!;
    };
    const [waiting, second, approved] = [await pull(hook, 1), await pull(hook, 2), await pull(hook, 3)];
    const elsewhere = await pull(other, 1);
    await approve(approved);
    await setForks(hook, "ignore");
    const reason = "killed by its repository's setting forks: ignore";
    for (const ref of [waiting, second]) expect(await build(ref)).toMatchObject({ status: "killed", reason });
    expect(await build(approved)).toMatchObject(isApproved);
    expect(await build(elsewhere)).toMatchObject({ queue: { reason: "waits for approval" } });
    for (const ref of [approved, elsewhere]) await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref }));
  });

  it("that was left waiting when its repository was set to ignore forks is killed by the next fork's delivery", async () => {
    const { git, pull, record } = await hooked();
    const sha = await git.commit(files);
    const [waiting] = await pull({ sha, fork: true, number: 1 });
    await suite.changeRepository(record.id, { $set: { forks: "ignore" } as never });
    await pull({ sha, fork: true, number: 2 });
    expect(await build(waiting!)).toMatchObject({ status: "killed" });
  });

  /** Delivers a fork's request, and makes a change while its commit is read. Returns the builds that it made. */
  async function pullDuring(hook: Hooked, change: () => Promise<unknown>) {
    const sha = await hook.git.commit(files);
    const reading = gate();
    held = { ...reading, path: new URL(hook.git.url).pathname };
    const pulled = hook.pull({ sha, fork: true });
    await reading.reached;
    held = undefined;
    await change();
    reading.open();
    await pulled;
    const list = { namespaceId: hook.namespace.id, tag: "", search: "", page: undefined };
    return async () => (await suite.as(suite.users.ann, () => suite.builds.listBuilds(list))).builds;
  }

  it("is killed if its repository was set to ignore forks while its commit was read", async () => {
    const hook = await hooked();
    const builds = await pullDuring(hook, () => setForks(hook, "ignore"));
    await eventually(async () => expect(await builds()).toMatchObject([{ status: "killed" }]));
  });

  const running = () => hooked("github", undefined, suite.users.ann, { forks: "run" });

  it("waits for approval if its repository was set to that while its commit was read", async () => {
    const hook = await running();
    const builds = await pullDuring(hook, () => setForks(hook, "approve"));
    const waiting = { status: "queued", queue: { reason: "waits for approval" } };
    await eventually(async () => expect(await builds()).toMatchObject([waiting]));
  });

  it("is not made if its repository was set from running forks to ignoring them while its commit was read", async () => {
    const hook = await running();
    const builds = await pullDuring(hook, () => setForks(hook, "ignore"));
    expect(await builds()).toEqual([]);
  });

  it("that is approved is offered to runners even if the process died before it was lined up", async () => {
    const { git, pull } = await hooked();
    const [ref] = await pull({ sha: await git.commit(files), fork: true });
    const { id } = await build(ref!);
    await suite.change(id, { $unset: { awaitsApproval: true }, $inc: { rev: 1 } });
    await approve(ref!);
    await eventually(async () => expect((await suite.claim())?.buildId).toBe(id));
  });

  it("neither kills nor holds up the namespace's own builds of a group, nor those of other requests, nor do restarts", async () => {
    const { git, push, pull } = await hooked("github", undefined, suite.users.ann, { forks: "run" });
    const grouped = { ".service-ci.yml": `concurrency: {group: deploy, cancel: running}${manifest}` };
    const [own] = await push({ sha: await git.commit(grouped) });
    const [other] = await pull({ sha: await git.commit(grouped), fork: true, number: 8 });
    const [fork] = await pull({ sha: await git.commit({ ...grouped, text: "2" }), fork: true, number: 9 });
    const all = [own!, other!, fork!];
    const finishAll = async (ids: readonly number[]) => {
      const claimed = [];
      for (const _ of ids) claimed.push(await suite.claim());
      expect(claimed.map((one) => one?.buildId)).toEqual(ids);
      for (const one of claimed) await suite.finish(one!, 0, "failed");
    };
    await finishAll((await Promise.all(all.map(build))).map(({ id }) => id));
    const again = (ref: { userId: number; number: number }) =>
      suite.as(suite.users.ann, () => suite.builds.restartBuild({ ref, restartOf: "x" }));
    const restarts = [await again(other!), await again(fork!), await again(own!)];
    await finishAll(restarts.map(({ build: restarted }) => restarted!.id));
  });

  it("is not made if too many or too large builds of its commit would wait for approval", async () => {
    const hook = await hooked();
    const matrix = (count: number) => `matrix: {N: [${Array.from({ length: count }, (_, n) => `"${n}"`)}]}${manifest}`;
    const countOf = async (commit: Record<string, string>, fork: boolean) => {
      const options = { sha: await hook.git.commit({ ...commit, text: `${fork}` }), action: "synchronize" };
      return (await (fork ? hook.pull({ ...options, fork }) : hook.push(options))).length;
    };
    const many = { ".service-ci/a.yml": matrix(30), ".service-ci/b.yml": matrix(30), ".service-ci/c.yml": manifest };
    expect(await countOf(many, true)).toBe(31);
    const reason = "The manifests of this commit make more than 50 builds that wait for approval; ";
    expect((await deliveriesOf(hook))[0]).toMatchObject({
      status: "failed",
      reasons: [expect.stringContaining(`.service-ci/b.yml: ${reason}`)],
    });
    const large = { ".service-ci.yml": `#${"x".repeat(600_000)}\n${matrix(8)}` };
    expect(await countOf(large, true)).toBe(0);
    expect((await deliveriesOf(hook))[0]).toMatchObject({
      status: "failed",
      reasons: [
        expect.stringMatching(/^The manifests of this commit make builds of more than 4.MiB that wait for approval/),
      ],
    });
    expect(await countOf(many, false)).toBe(61);
    const waiting = { "origin.url": hook.record.url, status: "queued" };
    await suite
      .database()
      .collection("builds")
      .updateMany(waiting, { $set: { status: "killed" } });
  });

  it("runs at once with the setting run, and is not made with ignore", async () => {
    const runs = await hooked("gitlab", undefined, suite.users.ann, { forks: "run" });
    const [ref] = await runs.pull({ sha: await runs.git.commit(files), fork: true });
    expect((await build(ref!)).queue?.reason).not.toBe("waits for approval");
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref }));
    const ignores = await hooked("gitea", undefined, suite.users.ann, { forks: "ignore" });
    const sha = await ignores.git.commit(files);
    expect(await ignores.pull({ sha, fork: true })).toEqual([]);
    expect((await deliveriesOf(ignores))[0]).toMatchObject({
      status: "skipped",
      reasons: ["skipped: the request comes from a fork"],
    });
    expect(await ignores.pull({ sha, action: "reopened" })).toHaveLength(1);
  });

  it("waits also in a repository of an older version, which has no settings", async () => {
    const { git, pull, record } = await hooked();
    await suite.forget(record.id, ["forks", "cancelSuperseded"]);
    const [ref] = await pull({ sha: await git.commit(files), fork: true });
    expect(await build(ref!)).toMatchObject({ queue: { reason: "waits for approval" } });
    await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref }));
  });
});
