import { aBuild } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const ci = constellation({
  runner: true,
  settings: { RUNNER_BUILDS: "3", BUILDS_PER_USER: "2", BUILDS_PER_NAMESPACE: "1" },
});
const endless = { jobs: [{ stage: "test", commands: ["sleep 600"] }] };

const submit = async (user: SignedUp, fields: Record<string, unknown> = endless): Promise<string> =>
  created(await user.post("/builds", aBuild(fields))).url;

const expectRunning = (user: SignedUp, url: string) =>
  eventually(async () => expect((await user.get(url)).json).toMatchObject({ status: "running", queue: null }));
/** Waits until the record and the list show the queue place. */
const expectPlace = (user: SignedUp, url: string, queue: { position: number; reason: string }) =>
  eventually(async () => {
    expect((await user.get(url)).json.queue).toEqual(queue);
    const listed = (await user.get("/builds")).json.find((build: { url: string }) => build.url === url);
    expect(listed.queue).toEqual(queue);
  });

test("a queued build shows its position and why it is not running", async () => {
  const [ann, bob, carl] = [await ci.signUp(), await ci.signUp(), await ci.signUp()];
  const driver = { type: "docker", image: "x:1", workspace: "/w" };
  await expectPlace(bob, await submit(bob, { ...endless, driver }), { position: 1, reason: "no runner for driver" });

  for (let n = 0; n < 2; n++) await expectRunning(ann, await submit(ann));
  await expectPlace(ann, await submit(ann), { position: 1, reason: "limit of user" });

  const inTeam = { ...endless, namespace: "team" };
  const running = await submit(bob, inTeam);
  await expectRunning(bob, running);
  await expectPlace(bob, await submit(bob, inTeam), { position: 2, reason: "limit of namespace" });

  const waiting = await submit(carl);
  await expectPlace(carl, waiting, { position: 3, reason: "waiting for a runner" });
  const next = await submit(carl);
  await expectPlace(carl, next, { position: 4, reason: "waiting for a runner" });

  await carl.delete(waiting);
  expect((await carl.get(waiting)).json.queue).toBeNull();
  await expectPlace(carl, next, { position: 3, reason: "waiting for a runner" });
});
