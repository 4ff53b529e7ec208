import type { Assignment, FinishJobRequest_Outcome } from "@ci/proto/builds/v1/queue";
import { RepositoryServiceDefinition } from "@ci/proto/builds/v1/repositories";
import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { advance } from "../../src/actions/hooks/advance.js";
import type { HookDelivery } from "../../src/store/hooks/hook-deliveries.js";
import { examined } from "../queue/_examined.js";
import { hookContext } from "./_hook-context.js";
import { bootHooks, deliveries, type Hooked, manifest } from "./_hooks.js";

interface Heard {
  readonly state: string;
  readonly target_url?: string;
}

/** What a provider has recorded, by the path of the commit's status. */
const recorded = new Map<string, Heard[]>();
/** Holds the next report of a success before the provider records it. */
let held: Gate | undefined;
const { suite, hooked, redeliver, deliveriesOf, server } = bootHooks(
  { hookPausesMs: [20, 20] },
  {
    async answer({ path, body }) {
      const heard: Heard = JSON.parse(body.toString());
      if (heard.state === "success") await held?.pass();
      recorded.set(path, [...(recorded.get(path) ?? []), heard]);
      return { status: 201 };
    },
  },
);
const heardOf = (sha: string) => [...recorded].flatMap(([path, heard]) => (path.endsWith(sha) ? heard : []));
const statesOf = (sha: string) => heardOf(sha).map(({ state }) => state);
const stored = () => suite.database().collection<HookDelivery>("hookDeliveries");
const hookedUp = () => hooked("github", "t0ken");
type Ref = { userId: number; number: number };

/** Resolves when the commit's status is final and the provider has recorded these states. */
async function settled({ record }: Hooked, sha: string, states: readonly string[]): Promise<void> {
  await eventually(async () => {
    expect(await stored().countDocuments({ repositoryId: record.id, dueAt: { $exists: true } })).toBe(0);
    expect(statesOf(sha)).toEqual(states);
  });
}

async function deliveryOf(ref: Ref | undefined): Promise<HookDelivery | null> {
  const { userId, number } = ref!;
  const build = await suite.database().collection("builds").findOne({ userId, number });
  return stored().findOne({ _id: build!.origin.deliveryId });
}

/** Resolves when the delivery of a build has reported that it is pending. */
const begun = (ref: Ref | undefined) =>
  eventually(async () => expect(await deliveryOf(ref)).toMatchObject({ reported: "pending" }));

/** Resolves when the delivery of a build has seen that the build ended. */
const seen = (ref: Ref | undefined) =>
  eventually(async () => expect(await deliveryOf(ref)).not.toHaveProperty("dueAt"));

/** Claims a build that waits, and any older ones of tests that failed. */
async function claim(ref: Ref | undefined): Promise<Assignment> {
  await begun(ref);
  return eventually(async () => {
    const assignment = await suite.claim();
    expect(assignment?.number).toBe(ref!.number);
    return assignment!;
  });
}

async function finish(assignment: Assignment, outcome: FinishJobRequest_Outcome): Promise<void> {
  const last = assignment.jobs.length - 1;
  for (const index of assignment.jobs.keys())
    await suite.finish(assignment, index, index === last ? outcome : "passed");
}

/** Runs a build to this outcome. */
async function run(ref: Ref | undefined, outcome: FinishJobRequest_Outcome): Promise<void> {
  await finish(await claim(ref), outcome);
  await seen(ref);
}

/** Pushes a new commit, and opens a request for it. */
async function pushedAndRequested() {
  const hook = await hookedUp();
  const sha = await hook.git.commit({ ".service-ci.yml": manifest });
  const [push] = await hook.push({ sha });
  const [pull] = await hook.pull({ sha });
  for (const ref of [push, pull]) await begun(ref);
  return { hook, sha, push, pull };
}

const page = ({ number }: Ref) => `http://ci.test/api/b/ann/${number}`;

describe("a commit that was pushed and requested", () => {
  it.each(["push", "pull"] as const)("has failed if the %s failed first and the other passes", async (failing) => {
    const { hook, sha, ...refs } = await pushedAndRequested();
    const [push, pull] = [await claim(refs.push), await claim(refs.pull)];
    const [first, second] = failing === "push" ? [push, pull] : [pull, push];
    await finish(first, "failed");
    await seen(refs[failing]);
    await finish(second, "passed");
    await settled(hook, sha, ["pending", "pending", "failure"]);
    expect(heardOf(sha).at(-1)!.target_url).toBe(page(refs[failing]!));
  });

  it("has failed if the push passed first and the request fails", async () => {
    const { hook, sha, push, pull } = await pushedAndRequested();
    await run(push, "passed");
    await run(pull, "failed");
    await settled(hook, sha, ["pending", "pending", "failure"]);
  });

  it("is pending while one of them runs, and has passed when both passed", async () => {
    const { hook, sha, push, pull } = await pushedAndRequested();
    await run(push, "passed");
    expect(statesOf(sha)).toEqual(["pending", "pending"]);
    await run(pull, "passed");
    await settled(hook, sha, ["pending", "pending", "success"]);
  });

  it("has the push's new outcome after its redelivery", async () => {
    const { hook, sha, push, pull } = await pushedAndRequested();
    await run(push, "failed");
    await run(pull, "passed");
    await settled(hook, sha, ["pending", "pending", "failure"]);
    const [requested, pushed] = await deliveriesOf(hook);
    await run(await redeliver(hook, pushed!.id), "passed");
    const afterwards = ["pending", "pending", "failure", "pending", "success"];
    await settled(hook, sha, afterwards);
    await run(await redeliver(hook, requested!.id), "failed");
    await settled(hook, sha, [...afterwards, "pending", "failure"]);
  });
});

it("a commit of two requests and a tag has failed if any of them failed", async () => {
  const hook = await hookedUp();
  const sha = await hook.git.commit({ ".service-ci.yml": manifest });
  const [first] = await hook.pull({ sha, number: 7 });
  const [second] = await hook.pull({ sha, number: 8 });
  const [tagged] = await hook.push({ sha, ref: "refs/tags/7" });
  await run(first, "failed");
  for (const ref of [second, tagged]) await run(ref, "passed");
  await settled(hook, sha, ["pending", "pending", "pending", "failure"]);
});

it("a delivery that makes no build changes nothing, also if an earlier one of its branch failed", async () => {
  const hook = await hookedUp();
  const sha = await hook.git.commit({ ".service-ci.yml": `${manifest}when: {path: "src/**"}\n` });
  const [push] = await hook.push({ sha, files: ["src/a"] });
  await run(push, "failed");
  await settled(hook, sha, ["pending", "failure"]);
  expect(await hook.push({ sha, files: ["README.md"] })).toEqual([]);
  const [tagged] = await hook.push({ sha, ref: "refs/tags/v1", files: ["src/a"] });
  await run(tagged, "passed");
  await settled(hook, sha, ["pending", "failure", "pending", "failure"]);
});

it("a fork's request of a commit of the repository itself has no say, and one of another commit has", async () => {
  const hook = await hookedUp();
  const sha = await hook.git.commit({ ".service-ci.yml": manifest });
  const [push] = await hook.push({ sha });
  const [request] = await hook.pull({ sha, fork: true });
  await begun(request);
  await run(push, "passed");
  await settled(hook, sha, ["pending", "pending", "success"]);
  const theirs = await hook.git.commit({ ".service-ci.yml": manifest, "README.md": "theirs" });
  await hook.pull({ sha: theirs, fork: true });
  await eventually(() => expect(statesOf(theirs)).toEqual(["pending"]));
});

it("a success that arrives late, while another replica reports a failure, is corrected", async () => {
  const hook = await hookedUp();
  const sha = await hook.git.commit({ ".service-ci.yml": manifest });
  const [push] = await hook.push({ sha });
  held = gate();
  const success = held;
  await finish(await claim(push), "passed");
  await success.reached;
  held = undefined;
  await using replica = await suite.startService();
  await using peer = connect(`127.0.0.1:${replica.port}`);
  const { builds } = await peer.client(RepositoryServiceDefinition).receiveHook({
    provider: "github",
    id: hook.record.id,
    ...deliveries.pull.github({ sha }, "pull"),
  });
  await run(builds[0], "failed");
  await eventually(() => expect(statesOf(sha)).toEqual(["pending", "pending", "failure"]));
  success.open();
  await settled(hook, sha, ["pending", "pending", "failure", "success", "failure"]);
});

it.each(["before", "after"])("a process that dies %s its report leaves it to another one", async (moment) => {
  const { hook, sha, push, pull } = await pushedAndRequested();
  await run(push, "failed");
  await run(pull, "passed");
  const states = ["pending", "pending", "failure"];
  await settled(hook, sha, states);
  if (moment === "before")
    recorded.set([...recorded.keys()].find((path) => path.endsWith(sha))!, heardOf(sha).slice(0, 2));
  const died = { reported: "pending", heldUntil: new Date(0), dueAt: new Date(0) } as const;
  await stored().updateOne({ repositoryId: hook.record.id, "change.type": "pull" }, { $set: died });
  await (await hookedUp()).push({ sha: "0".repeat(40) });
  await settled(hook, sha, moment === "before" ? states : [...states, "failure"]);
});

it("a delivery reports the end of another one that nobody reports any more", async () => {
  const { hook, sha, ...refs } = await pushedAndRequested();
  const [push, pull] = [await claim(refs.push), await claim(refs.pull)];
  const idOf = async (ref: Ref | undefined) => ({ _id: (await deliveryOf(ref))!._id });
  await stored().updateOne(await idOf(refs.push), { $unset: { dueAt: true } });
  const { dueAt: checkAt } = (await deliveryOf(refs.pull))!;
  await finish(pull, "passed");
  const isChecked = { ...(await idOf(refs.pull)), dueAt: { $gt: checkAt! }, heldUntil: { $exists: false } };
  await eventually(async () => expect(await stored().countDocuments(isChecked)).toBe(1));
  await finish(push, "failed");
  await stored().updateOne(await idOf(refs.pull), { $set: { dueAt: new Date(0) } });
  await (await hookedUp()).push({ sha: "0".repeat(40) });
  await settled(hook, sha, ["pending", "pending", "failure"]);
});

it("however many deliveries a commit has, few are read, and requests of forks replace none of the repository itself", async () => {
  await using hooks = await hookContext(suite.names, "many");
  const { ctx } = hooks;
  const sha = "d".repeat(40);
  const store = (first: number, count: number, fork: boolean, more: Partial<HookDelivery> = {}) =>
    hooks.deliveries.insertMany(
      Array.from({ length: count }, (_, n) => {
        const order = first + n;
        const change = { type: fork ? "pull" : "push", ref: `refs/tags/${order}`, fork } as HookDelivery["change"];
        const place = { _id: `1/${order}`, repositoryId: 1, sha, number: order, order };
        return { ...place, change, createdAt: new Date(), failures: 0, wrong: !more.silent, ...more };
      }),
    );
  const reads = () => examined(ctx.db, ["hookDeliveries"], () => ctx.hookDeliveries.ofCommit(1, sha));
  await store(1, 50, false);
  const few = await reads();
  await store(100, 20, false);
  await store(200, 200, true);
  await store(400, 200, false, { silent: true });
  expect(await reads()).toBe(few);
  const newest = Array.from({ length: 50 }, (_, n) => `1/${n < 20 ? 119 - n : 70 - n}`);
  expect((await ctx.hookDeliveries.ofCommit(1, sha)).map(({ _id }) => _id)).toEqual(newest);
});

it.each(["running", "passed"])(
  "a report about the only delivery of a commit, %s, costs four commands",
  async (status) => {
    await using hooks = await hookContext(suite.names, status);
    const { ctx, deliveries: all } = hooks;
    await hooks.repository(1, 100, `${server().url}/a/b.git`);
    await hooks.dueDeliveries(1, 1, "report");
    await all.updateOne({ _id: "1/0" }, { $unset: { wrong: true } });
    const build = { userId: 100, number: 1, status, origin: { deliveryId: "1/0", path: ".service-ci.yml" } };
    await ctx.db.collection("builds").insertOne(build);
    const due = (await ctx.hookDeliveries.claim("1/0", 600_000))!;
    await ctx.db.command({ profile: 2 });
    await advance({ ...ctx, now: () => new Date(), submitter: async () => ({ email: "", username: "ann" }) }, due);
    await ctx.db.command({ profile: 0 });
    const ns = new RegExp(`^${ctx.db.databaseName}\\.(repositories|hookDeliveries|builds)$`);
    expect(await ctx.db.collection("system.profile").countDocuments({ ns })).toBe(4);
    expect(await all.findOne({})).toMatchObject({ reported: status === "running" ? "pending" : "success" });
  },
);
