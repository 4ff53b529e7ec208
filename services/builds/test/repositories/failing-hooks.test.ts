import { eventually } from "@ci/testkit/eventually";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";
import { registeringHooks } from "../../src/loops/register-hooks.js";
import { removingHooks } from "../../src/loops/remove-hooks.js";
import type { RepositoryDoc } from "../../src/store/repositories.js";
import { hookContext } from "./_hook-context.js";

const names = suite();

const provider = (): Promise<Receiver> =>
  receiver({ answer: () => ({ status: 200, headers: { "Content-Type": "application/json" }, body: "[]" }) });

/** Stores repositories as an older version could: one with a broken address, one with an unreadable token, one in order. */
async function threeRepositories(
  { repository }: Awaited<ReturnType<typeof hookContext>>,
  { url }: Receiver,
): Promise<RepositoryDoc[]> {
  return [
    await repository(1, 100, `${url}/a/%zz.git`, { hook: "pending" }),
    await repository(2, 200, `${url}/a/unreadable.git`, { hook: "pending", sealedToken: "none" }),
    await repository(3, 300, `${url}/a/good.git`, { hook: "pending" }),
  ];
}

test("a hook that cannot be registered holds up no other, and one with a broken address is left to its user", async () => {
  await using git = await provider();
  await using hooks = await hookContext(names, "registered");
  await threeRepositories(hooks, git);
  const { ctx } = hooks;
  const pass = registeringHooks(ctx, () => undefined);
  await eventually(async () => expect(await pass()).toBe(0));
  const hookReason = "the service could not ask the provider; check the address";
  expect(await ctx.repositories.byId(1)).toMatchObject({ hook: "by_hand", hookReason });
  expect(await ctx.repositories.byId(2)).toMatchObject({ hook: "pending" });
  expect(await ctx.repositories.byId(3)).toMatchObject({ hook: "registered" });
});

test("a hook that cannot be removed holds up no other, and is given up after the last attempt", async () => {
  await using git = await provider();
  await using hooks = await hookContext(names, "removed", { hookPausesMs: [1] });
  const { ctx, removals } = hooks;
  for (const { sealedToken, ...doc } of await threeRepositories(hooks, git)) {
    await ctx.repositories.remove(doc._id);
    await ctx.hookRemovals.plan({ ...doc, sealedToken: sealedToken! }, -60_000);
  }
  const pass = removingHooks(ctx);
  await eventually(async () => {
    await pass();
    expect(await removals.countDocuments({ _id: { $gt: 0 } })).toBe(0);
  });
  expect(git.requests.map(({ path }) => path)).toEqual(["/api/v4/projects/a%2Fgood/hooks?per_page=100"]);
});
