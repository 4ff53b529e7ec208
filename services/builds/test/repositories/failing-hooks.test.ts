import { eventually } from "@ci/testkit/eventually";
import { type Answer, type Receiver, receiver } from "@ci/testkit/receiver";
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

describe("a hook whose registration exceeds the provider's rate limit", () => {
  const hourMs = 60 * 60_000;
  const now = Date.parse("2026-01-01T00:00:00Z");
  const date = new Date(now).toUTCString();
  const isLimited = (headers: Readonly<Record<string, string>>): Answer => ({ status: 403, headers });
  const reset = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${now / 1_000 + 900}`, date };

  /** Starts passes of the loop, each of which leaves its registration to the next answer of the provider. */
  async function limited(name: string, hookPausesMs: readonly number[], answers: Answer[]) {
    const next = () => answers.shift() ?? { status: 200, headers: { "Content-Type": "application/json" }, body: "[]" };
    const git = await receiver({ answer: next });
    const hooks = await hookContext(names, name, { hookPausesMs });
    const { repositories } = hooks.ctx;
    await hooks.repository(1, 100, `${git.url}/a/b.git`, { hook: "pending" });
    const pass = registeringHooks(hooks.ctx, () => undefined);
    return {
      async attempt() {
        const stored = hooks.ctx.db.collection<RepositoryDoc>("repositories");
        await stored.updateOne({ _id: 1, hookHeldUntil: { $exists: true } }, { $set: { hookHeldUntil: new Date(0) } });
        await eventually(async () => expect(await pass()).toBe(0));
        return (await repositories.byId(1))!;
      },
      change: async () => repositories.change((await repositories.byId(1))!, { hook: "pending" }),
      async [Symbol.asyncDispose]() {
        await hooks[Symbol.asyncDispose]();
        await git[Symbol.asyncDispose]();
      },
    };
  }

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ["retry-after", { "retry-after": "60" }, 60_000],
    ["reset", reset, 900_000],
    ["excess", { "retry-after": "99999999" }, hourMs],
    ["unnamed", { "retry-after": "soon" }, 5_000],
  ])("is registered again after the time that the provider names: %s", async (name, headers, waitMs) => {
    await using hook = await limited(name, [5_000], [isLimited(headers)]);
    const [from, doc, to] = [Date.now(), await hook.attempt(), Date.now()];
    const hookReason = "the provider did not register the hook: 429, too many requests; the service will try again";
    expect(doc).toMatchObject({ hook: "pending", hookReason });
    expect(doc.hookHeldUntil!.getTime()).toBeGreaterThanOrEqual(from + waitMs);
    expect(doc.hookHeldUntil!.getTime()).toBeLessThanOrEqual(to + waitMs);
    const registered = await hook.attempt();
    expect(registered.hook).toBe("registered");
    for (const field of ["hookReason", "hookFailures", "hookHeldUntil"]) expect(registered).not.toHaveProperty(field);
  });

  it("is left to its user after the last attempt, and a change of the repository tries at once, with all attempts", async () => {
    await using hook = await limited("given_up", [1_000, 1_000], Array(5).fill(isLimited({ "retry-after": "60" })));
    for (const _ of [1, 2]) expect(await hook.attempt()).toMatchObject({ hook: "pending" });
    const hookReason =
      "the provider did not register the hook: 429, too many requests; set the access token again later";
    expect(await hook.attempt()).toMatchObject({ hook: "by_hand", hookReason });
    await hook.change();
    expect(await hook.attempt()).toMatchObject({ hook: "pending", hookFailures: 1 });
    expect(await hook.change()).toMatchObject({ hook: "pending" });
    const again = await hook.change();
    for (const field of ["hookFailures", "hookHeldUntil"]) expect(again).not.toHaveProperty(field);
    expect(await hook.attempt()).toMatchObject({ hook: "pending", hookFailures: 1 });
  });
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
