import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import type { Received } from "@ci/testkit/receiver";
import { bootHooks, type Hooked, secret } from "./_hooks.js";
import { providerHooks } from "./_provider-hooks.js";

const token = "t0ken";
const provider = providerHooks(token);
/** Delays the next write at the provider, and its effect. */
let slow: Gate | undefined;
const written: string[] = [];

async function answer(request: Received) {
  if (request.method === "GET") return provider.answer(request);
  const delayed = slow;
  slow = undefined;
  await delayed?.pass();
  written.push(request.method);
  return provider.answer(request);
}
const { suite, hooked } = bootHooks({}, { answer });
beforeEach(() => written.splice(0));

const hooksOf = ({ record }: Hooked) => provider.of(new URL(record.url).pathname.slice(1).replace(/\.git$/, ""));
const secretsOf = (hook: Hooked) => hooksOf(hook).map(({ config }) => (config as { secret: string }).secret);
const change = async ({ namespace, record }: Hooked, sent: { secret?: string; accessToken?: string }) => {
  const request = { namespaceId: namespace.id, id: record.id, removeAccessToken: false, ...sent };
  return (await suite.as(suite.users.ann, () => suite.repositories.updateRepository(request))).repository!;
};
const remove = ({ namespace, record }: Hooked) =>
  suite.as(suite.users.ann, () => suite.repositories.deleteRepository({ namespaceId: namespace.id, id: record.id }));

/** Starts a change whose write at the provider waits. */
async function changing(hook: Hooked, sent: Parameters<typeof change>[1]) {
  const write = gate();
  slow = write;
  const changed = Promise.allSettled([change(hook, sent)]);
  await write.reached;
  return { write, changed };
}

it("secrets that follow each other reach a slow provider in this order", async () => {
  const hook = await hooked("gitea", token);
  const { write, changed } = await changing(hook, { secret: "second" });
  expect(await change(hook, { secret: "third" })).toMatchObject({ hook: "pending" });
  write.open();
  expect(await changed).toMatchObject([{ value: { hook: "registered" } }]);
  expect(written).toEqual(["POST", "PATCH", "PATCH"]);
  expect(secretsOf(hook)).toEqual(["third"]);
});

it("a secret that is set during the first registration leaves one hook, with this secret", async () => {
  const hook = await hooked("gitea");
  const { write, changed } = await changing(hook, { accessToken: token });
  await change(hook, { secret: "second" });
  write.open();
  expect(await changed).toMatchObject([{ value: { hook: "registered" } }]);
  expect(written).toEqual(["POST", "PATCH"]);
  expect(secretsOf(hook)).toEqual(["second"]);
});

it("a repository that is deleted while its hook is being registered leaves no hook", async () => {
  const other = await hooked("gitea", token);
  const hook = await hooked("gitea");
  const { write, changed } = await changing(hook, { accessToken: token });
  await remove(hook);
  await remove(other);
  await eventually(() => expect(hooksOf(other)).toEqual([]));
  write.open();
  expect(await changed).toMatchObject([{ reason: { code: "not_found" } }]);
  await eventually(() => expect(written).toEqual(["POST", "DELETE", "POST", "DELETE"]));
  expect(hooksOf(hook)).toEqual([]);
  await eventually(async () => expect(await suite.plannedRemovals()).toBe(0));
});

it("a takeover without an access token during a registration does not leave the hook registered with the old secret", async () => {
  const hook = await hooked("gitea");
  const { write, changed } = await changing(hook, { accessToken: token });
  await suite.changeRepository(hook.record.id, { $set: { userId: suite.users.bob.id } as never });
  const byHand = { hook: "by_hand", hookReason: "no access token" };
  expect(await change(hook, { secret: "second" })).toMatchObject(byHand);
  write.open();
  expect(await changed).toMatchObject([{ value: byHand }]);
});

it("a change removes surplus hooks that send to the same address, and no others", async () => {
  const hook = await hooked("gitea", token);
  const path = `/api/v1/repos/${new URL(hook.record.url).pathname.slice(1).replace(/\.git$/, "")}/hooks`;
  const [ours] = hooksOf(hook);
  const other = { config: { url: "https://other.example/hook", secret: "other" } };
  for (const body of [ours, other, ours])
    provider.answer({
      ...{ method: "POST", path, at: new Date(), headers: { authorization: `token ${token}` } },
      body: Buffer.from(JSON.stringify(body)),
    });
  expect(secretsOf(hook)).toEqual([secret, secret, "other", secret]);
  expect(await change(hook, { secret: "second" })).toMatchObject({ hook: "registered" });
  expect(secretsOf(hook)).toEqual(["second", "other"]);
});
