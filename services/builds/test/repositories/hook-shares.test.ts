import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";
import { advancingDeliveries } from "../../src/loops/advance-deliveries.js";
import { registeringHooks } from "../../src/loops/register-hooks.js";
import { removingHooks } from "../../src/loops/remove-hooks.js";
import { hookContext } from "./_hook-context.js";

const names = suite();

/** A provider that answers requests about the project `slow` when the gate opens, and others at once. */
const providerBehind = (slow: Gate): Promise<Receiver> =>
  receiver({
    async answer({ path }) {
      if (path.includes("slow")) await slow.pass();
      return { status: 200, headers: { "Content-Type": "application/json" }, body: "[]" };
    },
  });
const asked = ({ requests }: Receiver, project: string) => requests.filter(({ path }) => path.includes(project)).length;

test("statuses of one user, whose provider is slow, leave slots for those of others, also of later ones", async () => {
  const slow = gate();
  await using provider = await providerBehind(slow);
  await using hooks = await hookContext(names, "statuses");
  const { ctx, repository, dueDeliveries, deliveries } = hooks;
  const pass = advancingDeliveries(ctx);
  // More than a pass reads at once, in two repositories of the user.
  for (const id of [1, 2]) {
    await repository(id, 100, `${provider.url}/a/slow${id}.git`);
    await dueDeliveries(id, 60, "report");
  }
  await repository(3, 200, `${provider.url}/a/fast.git`);
  await dueDeliveries(3, 6, "report");
  // The last delivery is of a repository that is gone.
  await dueDeliveries(4, 1, "report");
  await eventually(async () => {
    expect(await pass()).toBe(4);
    expect(asked(provider, "fast")).toBe(6);
    expect(await deliveries.countDocuments({ repositoryId: 4 })).toBe(0);
  });
  await dueDeliveries(5, 1, "report");
  await repository(5, 300, `${provider.url}/a/fast.git`);
  await eventually(async () => {
    expect(await pass()).toBe(4);
    expect(asked(provider, "fast")).toBe(7);
  });
  expect(asked(provider, "slow")).toBe(4);
  slow.open();
  await eventually(async () => {
    expect(await pass()).toBe(0);
    expect(asked(provider, "slow")).toBe(120);
  });
});

test("each step of a delivery makes the loop look for others once", async () => {
  await using provider = await providerBehind(gate());
  await using hooks = await hookContext(names, "wakes");
  await hooks.repository(1, 100, `${provider.url}/a/fast.git`);
  await hooks.dueDeliveries(1, 6, "report");
  let wakes = 0;
  const pass = advancingDeliveries({ ...hooks.ctx, wakeDeliveries: () => void wakes++ });
  await eventually(async () => {
    expect(await pass()).toBe(0);
    expect(wakes).toBe(6);
  });
});

test("removals of one user's hooks leave slots for those of others, also of those that an older version stored", async () => {
  const slow = gate();
  await using provider = await providerBehind(slow);
  await using hooks = await hookContext(names, "removals");
  const { ctx, repository, removals } = hooks;
  const pass = removingHooks(ctx);
  const plan = async (id: number, userId: number, project: string) => {
    const { sealedToken, ...doc } = await repository(id, userId, `${provider.url}/a/${project}.git`);
    await ctx.repositories.remove(id);
    await ctx.hookRemovals.plan({ ...doc, sealedToken: sealedToken! }, -60_000 + id);
  };
  for (const id of [1, 2, 3, 4, 5, 6]) await plan(id, 100, "slow");
  await plan(7, 200, "fast");
  for (const id of [8, 9, 10]) await plan(id, 300, "fast");
  await removals.updateMany({ _id: { $in: [8, 9, 10] } }, { $unset: { userId: true } });
  await eventually(async () => {
    expect(await pass()).toBe(2);
    expect(asked(provider, "fast")).toBe(4);
  });
  expect(asked(provider, "slow")).toBe(2);
  slow.open();
  await eventually(async () => {
    expect(await pass()).toBe(0);
    expect(await removals.countDocuments({ _id: { $gt: 0 } })).toBe(0);
  });
});

test("hooks of one user, which a dead process left pending, leave slots for those of others", async () => {
  const slow = gate();
  await using provider = await providerBehind(slow);
  await using hooks = await hookContext(names, "registrations");
  const { ctx, repository } = hooks;
  const pass = registeringHooks(ctx, () => undefined);
  const pending = (id: number, userId: number, project: string) =>
    repository(id, userId, `${provider.url}/a/${project}.git`, { hook: "pending" });
  for (const id of [1, 2, 3, 4, 5]) await pending(id, 100, "slow");
  for (const id of [6, 7]) await pending(id, 200, "fast");
  const isRegistered = async (id: number) =>
    expect(await ctx.repositories.byId(id)).toMatchObject({ hook: "registered" });
  await eventually(async () => {
    expect(await pass()).toBe(2);
    for (const id of [6, 7]) await isRegistered(id);
  });
  expect(asked(provider, "slow")).toBe(2);
  slow.open();
  await eventually(async () => {
    expect(await pass()).toBe(0);
    for (const id of [1, 2, 3, 4, 5]) await isRegistered(id);
  });
});
