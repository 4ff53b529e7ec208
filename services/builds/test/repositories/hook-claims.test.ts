import { encrypt } from "@ci/kit/security/secrets";
import { suite } from "@ci/testkit/suite";
import { removeRepository } from "../../src/actions/hooks/remove-repository.js";
import { repositorySecret } from "../../src/store/encrypted-fields.js";
import type { RepositoryDoc } from "../../src/store/repositories.js";
import { hookContext } from "./_hook-context.js";

const names = suite();
const leaseMs = 600_000;
const url = "http://127.0.0.1:1/a/b.git";
const registered = { hook: "registered", hookReason: undefined } as const;
let hooks: Awaited<ReturnType<typeof hookContext>>;
beforeAll(async () => {
  hooks = await hookContext(names, "claims");
});
afterAll(() => hooks[Symbol.asyncDispose]());

const stored = async (id: number) => (await hooks.ctx.repositories.byId(id)) as RepositoryDoc;
const pending = (id: number, more: Partial<RepositoryDoc> = {}) =>
  hooks.repository(id, 100, url, { hook: "pending", ...more });
const change = async (id: number) => {
  const sealedSecret = encrypt(hooks.ctx.config.keyring, "new", repositorySecret(id));
  return (await hooks.ctx.repositories.change(await stored(id), { hook: "pending", sealedSecret }))!;
};

test("a hook that an older version left pending is claimed and settled", async () => {
  await pending(1);
  const held = (await hooks.ctx.repositories.claimHook(1, leaseMs))!;
  expect(await hooks.ctx.repositories.claimHook(1, leaseMs)).toBeNull();
  expect(await hooks.ctx.repositories.settleHook(held, registered)).toBe(true);
  const after = await stored(1);
  expect(after).toMatchObject({ hook: "registered" });
  for (const field of ["hookHeldUntil", "hookWatchedUntil"]) expect(after).not.toHaveProperty(field);
});

test("a change leaves the hook to its holder, which cannot settle it before it has registered it again", async () => {
  await pending(2);
  const { repositories } = hooks.ctx;
  const held = (await repositories.claimHook(2, leaseMs))!;
  expect(await change(2)).toMatchObject({ hook: "pending", hookHeldUntil: held.hookHeldUntil });
  expect(await repositories.claimHook(2, leaseMs)).toBeNull();
  expect(await repositories.settleHook(held, registered)).toBe(false);
  expect(await repositories.requestHookAgain(held)).toBe(true);
  const again = (await repositories.claimHook(2, leaseMs))!;
  expect(again.sealedSecret).not.toBe(held.sealedSecret);
  expect(await repositories.settleHook(again, registered)).toBe(true);
});

test("a change does not leave the hook to a holder of an older version, which settles nothing then", async () => {
  const hookHeldUntil = new Date(Date.now() + 2 * leaseMs);
  await pending(3, { hookHeldUntil });
  expect(await change(3)).not.toHaveProperty("hookHeldUntil");
  expect(await hooks.ctx.repositories.claimHook(3, leaseMs)).toMatchObject({ hook: "pending" });
  expect((await stored(3)).hookHeldUntil).not.toEqual(hookHeldUntil);
});

test("a holder whose time is over makes the next one register the hook again", async () => {
  await pending(4);
  const { repositories } = hooks.ctx;
  const late = (await repositories.claimHook(4, -1_000))!;
  const held = (await repositories.claimAnyHook([99], leaseMs))!;
  expect(held._id).toBe(4);
  expect(await repositories.settleHook(late, registered)).toBe(false);
  expect(await repositories.requestHookAgain(late)).toBe(true);
  expect((await stored(4)).hookHeldUntil).toEqual(held.hookHeldUntil);
  expect(await repositories.settleHook(held, registered)).toBe(false);
});

test("if the process dies that registers the hook of a deleted repository, the hook is removed after its time", async () => {
  await pending(5);
  const held = (await hooks.ctx.repositories.claimHook(5, leaseMs))!;
  expect(await removeRepository(hooks.ctx, 5)).toBe(true);
  expect(await hooks.removals.findOne({ _id: 5 })).toMatchObject({ dueAt: held.hookHeldUntil });
  expect(await hooks.ctx.repositories.requestHookAgain(held)).toBe(false);
});

test("the hook of a deleted repository whose registration waits for a rate limit is removed at once", async () => {
  await pending(6);
  const held = (await hooks.ctx.repositories.claimHook(6, leaseMs))!;
  await hooks.ctx.repositories.settleHook(held, { hook: "pending", retryInMs: 3_600_000 });
  const retryAt = (await stored(6)).hookHeldUntil!;
  expect(await removeRepository(hooks.ctx, 6)).toBe(true);
  expect((await hooks.removals.findOne({ _id: 6 }))!.dueAt.getTime()).toBeLessThan(retryAt.getTime() - 1_800_000);
});

test("a removal that was planned again while it ran is not over when it ends", async () => {
  const { sealedToken, ...doc } = await hooks.repository(6, 100, url);
  const { hookRemovals } = hooks.ctx;
  await hookRemovals.plan({ ...doc, sealedToken: sealedToken! }, -60_000);
  const removal = (await hookRemovals.claim(leaseMs, []))!;
  await hookRemovals.plan({ ...doc, sealedToken: sealedToken! }, 0);
  await hookRemovals.done(removal);
  await hookRemovals.retry(removal, leaseMs);
  expect(await hooks.removals.findOne({ _id: 6 })).toMatchObject({ failures: 0 });
});
