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
// Requests respond at once; registrations go on.
const { suite, hooked } = bootHooks({ hookAnswerMs: 1 }, { answer });
beforeEach(() => written.splice(0));

const hooksOf = ({ record }: Hooked) => provider.of(new URL(record.url).pathname.slice(1).replace(/\.git$/, ""));
const secretsOf = (hook: Hooked) => hooksOf(hook).map(({ config }) => (config as { secret: string }).secret);
const change = (hook: Hooked, sent: string) => {
  const { namespace, record } = hook;
  const request = { namespaceId: namespace.id, id: record.id, removeAccessToken: false, secret: sent };
  return suite.as(suite.users.ann, () => suite.repositories.updateRepository(request));
};
const isRegistered = ({ record }: Hooked) =>
  eventually(async () => expect(await suite.storedRepository(record.id)).toMatchObject({ hook: "registered" }));

/** Starts a registration whose write at the provider waits. */
async function registering(): Promise<{ readonly hook: Hooked; readonly write: Gate }> {
  const write = gate();
  slow = write;
  const hook = await hooked("gitea", token);
  await write.reached;
  return { hook, write };
}

it("secrets that follow each other reach a slow provider in this order", async () => {
  const hook = await hooked("gitea", token);
  await isRegistered(hook);
  const write = gate();
  slow = write;
  await change(hook, "second");
  await write.reached;
  expect((await change(hook, "third")).repository).toMatchObject({ hook: "pending" });
  write.open();
  await eventually(() => expect(written).toEqual(["POST", "PATCH", "PATCH"]));
  await isRegistered(hook);
  expect(secretsOf(hook)).toEqual(["third"]);
});

it("a secret that is set during the first registration leaves one hook, with this secret", async () => {
  const { hook, write } = await registering();
  await change(hook, "second");
  write.open();
  await eventually(() => expect(written).toEqual(["POST", "PATCH"]));
  await isRegistered(hook);
  expect(secretsOf(hook)).toEqual(["second"]);
});

it("a repository that is deleted while its hook is being registered leaves no hook", async () => {
  const { hook, write } = await registering();
  const request = { namespaceId: hook.namespace.id, id: hook.record.id };
  await suite.as(suite.users.ann, () => suite.repositories.deleteRepository(request));
  write.open();
  await eventually(() => expect(written).toEqual(["POST", "DELETE"]));
  expect(hooksOf(hook)).toEqual([]);
  expect(await suite.plannedRemovals()).toBe(0);
});

it("a change removes surplus hooks that send to the same address, and no others", async () => {
  const hook = await hooked("gitea", token);
  await isRegistered(hook);
  const path = `/api/v1/repos/${new URL(hook.record.url).pathname.slice(1).replace(/\.git$/, "")}/hooks`;
  const [ours] = hooksOf(hook);
  const other = { config: { url: "https://other.example/hook", secret: "other" } };
  for (const body of [ours, other, ours])
    provider.answer({
      ...{ method: "POST", path, at: new Date(), headers: { authorization: `token ${token}` } },
      body: Buffer.from(JSON.stringify(body)),
    });
  expect(secretsOf(hook)).toEqual([secret, secret, "other", secret]);
  await change(hook, "second");
  await eventually(() => expect(secretsOf(hook)).toEqual(["second", "other"]));
  await isRegistered(hook);
});
