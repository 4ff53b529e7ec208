import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { type Answer, type Receiver, receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";
import { addHook, hookUrl, removeHooks } from "../../src/actions/hooks/provider-hooks.js";
import { registerSoon } from "../../src/actions/hooks/register-hook.js";
import { hookContext, token } from "./_hook-context.js";

const names = suite();
const never = new Promise<never>(() => undefined);
const json = (value: unknown): Answer => ({
  status: 200,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
});

/** A provider with many hooks that send to the same URL. */
const crowdedProvider = (url: () => string, removed: () => Answer | Promise<Answer>): Promise<Receiver> =>
  receiver({
    answer: ({ method }) =>
      method === "DELETE" ? removed() : json(Array.from({ length: 1_000 }, (_, n) => ({ id: n + 1, url: url() }))),
  });
const counted = ({ requests }: Receiver, which: string) => requests.filter(({ method }) => method === which).length;

test("of many hooks at the provider with our URL, a registration and a removal remove a few", async () => {
  let url = "";
  await using provider = await crowdedProvider(
    () => url,
    () => ({ status: 204 }),
  );
  await using hooks = await hookContext(names, "crowded");
  const repository = await hooks.repository(1, 100, `${provider.url}/a/b.git`);
  url = hookUrl(hooks.ctx, repository);
  await addHook(hooks.ctx, repository, { secret: "s", token });
  expect([counted(provider, "PUT"), counted(provider, "DELETE")]).toEqual([1, 10]);
  await removeHooks(hooks.ctx, repository, token);
  expect(counted(provider, "DELETE")).toBe(20);
});

test("all requests to a provider about a repository's hooks end with the hook lease", async () => {
  let url = "";
  await using provider = await crowdedProvider(
    () => url,
    () => never,
  );
  await using hooks = await hookContext(names, "silent", { hookLeaseMs: 300 });
  const repository = await hooks.repository(1, 100, `${provider.url}/a/b.git`);
  url = hookUrl(hooks.ctx, repository);
  await expect(removeHooks(hooks.ctx, repository, token)).rejects.toMatchObject({ reason: "timeout" });
});

test("a provider that is slow to register one user's hooks delays no other user's", async () => {
  const slow = gate();
  await using provider = await receiver({
    async answer({ path }) {
      if (path.includes("slow")) await slow.pass();
      return json([]);
    },
  });
  await using hooks = await hookContext(names, "turns");
  const { ctx } = hooks;
  const pending = (id: number, userId: number, project: string) =>
    hooks.repository(id, userId, `${provider.url}/a/${project}.git`, { hook: "pending" });
  const stateOf = async (id: number) => (await ctx.repositories.byId(id))?.hook;
  const slowOnes: Promise<void>[] = [];
  for (let id = 1; id <= 20; id++) slowOnes.push(registerSoon(ctx, await pending(id, 100, "slow")));
  await registerSoon(ctx, await pending(21, 100, "slow"));
  await registerSoon(ctx, await pending(22, 200, "fast"));
  expect(await stateOf(22)).toBe("registered");
  await eventually(() => expect(provider.requests.filter(({ path }) => path.includes("slow"))).toHaveLength(4));
  slow.open();
  await Promise.all(slowOnes);
  expect([await stateOf(20), await stateOf(21)]).toEqual(["registered", "pending"]);
});
