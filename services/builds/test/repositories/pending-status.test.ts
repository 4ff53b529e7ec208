import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import { removeRepository } from "../../src/actions/hooks/remove-repository.js";
import type { HookDelivery } from "../../src/store/hooks/hook-deliveries.js";
import { hookContext } from "./_hook-context.js";
import { bootHooks, deliveries, type Hooked, manifest, secret } from "./_hooks.js";

const accessToken = "t0ken";
const refusedToken = "ref0sed";
/** What the provider has recorded, by the path of the commit's status. */
const recorded = new Map<string, string[]>();
let refuses = false;
/** Holds the next report of a pending status, or of an error, before the provider records it. */
let held: Gate | undefined;
let heldState = "pending";
const { suite, hooked } = bootHooks(
  { hookPausesMs: [20, 20] },
  {
    async answer({ path, body, headers }) {
      if (headers.authorization?.includes(refusedToken)) return { status: 401 };
      if (refuses && path.includes("/hooks")) return { status: 404 };
      if (!path.includes("/statuses/")) return { status: 201 };
      const { state } = JSON.parse(body.toString());
      if (state === heldState) await held?.pass();
      recorded.set(path, [...(recorded.get(path) ?? []), state]);
      return { status: 201 };
    },
  },
);
const statesOf = (sha: string) => [...recorded].flatMap(([path, states]) => (path.endsWith(sha) ? states : []));
const stored = () => suite.database().collection<HookDelivery>("hookDeliveries");
const asAnn = <T>(work: () => Promise<T>) => suite.as(suite.users.ann, work);
const refOf = ({ namespace, record }: Hooked) => ({ namespaceId: namespace.id, id: record.id });

/** Pushes a commit whose build waits, and whose status is pending. */
async function pushed() {
  const hook = await hooked("github", accessToken);
  const sha = await hook.git.commit({ ".service-ci.yml": manifest });
  const [ref] = await hook.push({ sha });
  const which = { repositoryId: hook.record.id };
  const delivery = await eventually(async () => {
    const found = await stored().findOne({ ...which, reported: "pending", heldUntil: { $exists: false } });
    expect(found).not.toBeNull();
    return found!;
  });
  return { hook, sha, ref: ref!, which, delivery };
}

/** Lets the loop continue: a delivery that is processed wakes it. */
const wake = async () => void (await (await hooked()).push({ sha: "0".repeat(40) }));

describe("a pending status whose repository has lost its access token", () => {
  /** Ends the build of a commit after the access token was removed, and resolves when the service has noticed. */
  async function endedWithoutToken() {
    const { hook, sha, ref, which, delivery } = await pushed();
    await asAnn(() => suite.repositories.updateRepository({ ...refOf(hook), removeAccessToken: true }));
    await asAnn(() => suite.builds.killBuild({ ref }));
    const isChecked = { ...which, heldUntil: { $exists: false }, dueAt: { $not: { $lte: delivery.dueAt! } } };
    await eventually(async () => expect(await stored().countDocuments(isChecked)).toBe(1));
    return { hook, sha, which };
  }

  it("is replaced once there is a new one, though the build ended before", async () => {
    const { hook, sha, which } = await endedWithoutToken();
    expect(statesOf(sha)).toEqual(["pending"]);
    await asAnn(() => suite.repositories.updateRepository({ ...refOf(hook), accessToken }));
    await stored().updateOne({ ...which, dueAt: { $exists: true } }, { $set: { dueAt: new Date(0) } });
    await wake();
    await eventually(() => expect(statesOf(sha)).toEqual(["pending", "error"]));
  });

  it("is no longer checked when deliveries of its age are removed", async () => {
    const { which } = await endedWithoutToken();
    await stored().updateOne(which, { $set: { createdAt: new Date(0), dueAt: new Date(0) } });
    await wake();
    await eventually(async () =>
      expect(await stored().countDocuments({ ...which, dueAt: { $exists: false } })).toBe(1),
    );
  });
});

describe("the pending status of a repository that is removed", () => {
  const remove = (hook: Hooked) => asAnn(() => suite.repositories.deleteRepository(refOf(hook)));
  const isOver = () => eventually(async () => expect(await suite.plannedRemovals()).toBe(0));

  /** Connects the repository again, and pushes the commit there. */
  async function connectAgain({ namespace, git: { url } }: Hooked, sha: string, accessToken: string) {
    const again = { namespaceId: namespace.id, provider: "github", url, secret, accessToken };
    const { repository } = await asAnn(() => suite.repositories.createRepository(again));
    const { headers, body } = deliveries.push.github({ sha }, "again");
    await suite.repositories.receiveHook({ provider: "github", id: repository!.id, headers, body });
    return repository!;
  }

  it("is replaced by an error", async () => {
    const { hook, sha } = await pushed();
    await remove(hook);
    await isOver();
    expect(statesOf(sha)).toEqual(["pending", "error"]);
  });

  it("stays that of a repository which was connected again meanwhile", async () => {
    const { hook, sha } = await pushed();
    [held, heldState] = [gate(), "error"];
    const late = held;
    await remove(hook);
    await late.reached;
    [held, heldState] = [undefined, "pending"];
    await connectAgain(hook, sha, accessToken);
    await eventually(() => expect(statesOf(sha)).toEqual(["pending", "pending"]));
    late.open();
    await eventually(() => expect(statesOf(sha)).toEqual(["pending", "pending", "error", "pending"]));
    await isOver();
  });

  it("leaves that of others at its URL alone if the provider refuses it", async () => {
    const { hook, sha, which } = await pushed();
    const record = await connectAgain(hook, sha, refusedToken);
    await eventually(async () =>
      expect(await stored().countDocuments({ repositoryId: record.id, reported: "pending" })).toBe(1),
    );
    await remove({ ...hook, record });
    await isOver();
    expect(statesOf(sha)).toEqual(["pending"]);
    expect(await stored().countDocuments({ ...which, reported: "pending" })).toBe(1);
  });

  it("is replaced once, also if the hook cannot be removed, and that of an ended build is not", async () => {
    const { hook, sha, ref } = await pushed();
    const next = await hook.git.commit({ ".service-ci.yml": manifest, text: "next" });
    await hook.push({ sha: next });
    await asAnn(() => suite.builds.killBuild({ ref }));
    await eventually(() => expect([statesOf(sha), statesOf(next)]).toEqual([["pending", "error"], ["pending"]]));
    await eventually(async () =>
      expect(await stored().countDocuments({ repositoryId: hook.record.id, dueAt: { $exists: false } })).toBe(1),
    );
    refuses = true;
    await remove(hook);
    await isOver();
    refuses = false;
    expect([statesOf(sha), statesOf(next)]).toEqual(Array(2).fill(["pending", "error"]));
  });
});

it("only the newest 200 pending commits of a removed repository are kept for replacement", async () => {
  await using hooks = await hookContext(suite.names, "many");
  const common = { repositoryId: 1, createdAt: new Date(), failures: 0, reported: "pending" } as const;
  const pending = (n: number) => ({ ...common, _id: `1/${n}`, number: n, sha: `${n}`, dueAt: new Date(n) });
  const { dueAt: _, ...ended } = pending(500);
  await hooks.deliveries.insertMany([...Array.from({ length: 201 }, (_, n) => pending(n)), ended]);
  await hooks.repository(1, 100, "http://127.0.0.1:1/a/b.git");
  expect(await removeRepository(hooks.ctx, 1)).toBe(true);
  const told = (await hooks.removals.findOne({ _id: 1 }))!.shas!.map(Number).sort((a, b) => a - b);
  expect(told).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
});

describe("a pending status that reaches the provider late", () => {
  /** Pushes a commit whose pending status the provider records when the gate opens. */
  async function pushedLate() {
    held = gate();
    const late = held;
    const hook = await hooked("github", accessToken);
    const sha = await hook.git.commit({ ".service-ci.yml": manifest });
    const [ref] = await hook.push({ sha });
    await late.reached;
    held = undefined;
    return { hook, sha, ref: ref!, late };
  }

  it("is replaced if another process reported the build's end meanwhile", async () => {
    const { hook, sha, ref, late } = await pushedLate();
    await asAnn(() => suite.builds.killBuild({ ref }));
    const lost = { heldUntil: new Date(0), dueAt: new Date(0) };
    await stored().updateOne({ repositoryId: hook.record.id }, { $set: lost });
    await wake();
    const isReported = { repositoryId: hook.record.id, dueAt: { $exists: false } };
    await eventually(async () => expect(await stored().countDocuments(isReported)).toBe(1));
    expect(statesOf(sha)).toEqual(["error"]);
    late.open();
    await eventually(() => expect(statesOf(sha)).toEqual(["error", "pending", "error"]));
  });

  it("is replaced if the repository was removed meanwhile", async () => {
    const { hook, sha, late } = await pushedLate();
    await asAnn(() => suite.repositories.deleteRepository(refOf(hook)));
    await eventually(async () => expect(await suite.plannedRemovals()).toBe(0));
    expect(statesOf(sha)).toEqual([]);
    late.open();
    await eventually(() => expect(statesOf(sha)).toEqual(["pending", "error"]));
  });
});
