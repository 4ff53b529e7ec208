import { connect } from "@ci/testkit/identities";
import { limitOf } from "@ci/testkit/quotas";
import type { CronDoc } from "../src/domain/cron.js";
import { cronStore } from "../src/store/crons.js";
import { cronsOf, dayMs } from "./_crons.js";
import { bootBuilds, clients, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const crons = cronsOf(suite);
const inside = (namespace: string, env = "") => `namespace: ${namespace}@ann${env}${manifest}`;
const refusal = "Manifest is from a member who has left the namespace; check it and save it again";

/** Creates a namespace of ann's with bob as a collaborator. */
async function shared(path: string) {
  const { ann, bob } = suite.users;
  const namespace = await suite.accounts.aNamespace(ann, path);
  await crons.invite(ann, namespace, bob);
  const removeBob = () =>
    suite.as(ann, () =>
      suite.accounts.namespaces.removeCollaborator({ namespaceId: namespace.id, handle: bob.username }),
    );
  return { removeBob };
}

async function runDue(id: number) {
  const { ann } = suite.users;
  const before = await crons.get(ann, id);
  suite.advanceClock(dayMs);
  const { lastError } = await crons.afterRun(ann, before);
  return { lastError, builds: (await crons.buildsOf(ann, id)).length };
}

it("the manifest of a removed collaborator makes no builds until a member saves it", async () => {
  const { ann, bob } = suite.users;
  const { removeBob } = await shared("left");
  const { id } = await crons.create(bob, { manifest: inside("left") });
  expect(await runDue(id)).toEqual({ lastError: undefined, builds: 1 });
  await removeBob();
  expect(await runDue(id)).toEqual({ lastError: refusal, builds: 1 });
  expect(await fault(suite.as(ann, () => suite.crons.runCron({ id })))).toMatchObject({
    code: "invalid",
    fields: { manifest: [refusal] },
  });
  await crons.update(ann, { id, name: "still bob's" });
  expect(await runDue(id)).toEqual({ lastError: refusal, builds: 1 });
  await crons.update(ann, { id, manifest: inside("left") });
  expect(await runDue(id)).toEqual({ lastError: undefined, builds: 2 });
});

it("a manifest belongs to the member who changed it last", async () => {
  const { ann, bob } = suite.users;
  const { removeBob } = await shared("mixed");
  const changed = await crons.create(ann, { manifest: inside("mixed") });
  const saved = await crons.create(ann, { manifest: inside("mixed") });
  const taken = await crons.create(bob, { manifest: inside("mixed") });
  await crons.update(bob, { id: changed.id, manifest: inside("mixed", "\nenv: [BY=bob]") });
  await crons.update(bob, { id: saved.id, manifest: inside("mixed"), name: "saved by bob" });
  await crons.update(ann, { id: taken.id, manifest: inside("mixed", "\nenv: [BY=ann]") });
  await removeBob();
  expect(await runDue(changed.id)).toEqual({ lastError: refusal, builds: 0 });
  expect(await runDue(saved.id)).toMatchObject({ lastError: undefined });
  expect(await runDue(taken.id)).toMatchObject({ lastError: undefined });
});

it("a manifest from before this rule belongs to the user of the cron job", async () => {
  const { removeBob } = await shared("old");
  const { id } = await crons.create(suite.users.bob, { manifest: inside("old") });
  await suite
    .database()
    .collection<CronDoc>("crons")
    .updateOne({ _id: id }, { $unset: { keeperId: true } });
  await removeBob();
  expect(await runDue(id)).toEqual({ lastError: undefined, builds: 1 });
});

it("a change whose manifest took long to read is refused if its member was removed meanwhile", async () => {
  const { ann, bob } = suite.users;
  const { removeBob } = await shared("slow");
  const { id } = await crons.create(ann, { manifest: inside("slow") });
  const real = cronStore(suite.database(), () => undefined, limitOf("Cron jobs", "user"));
  let checks = 0;
  const has: typeof real.has = async (...which) => {
    if (++checks === 2) await removeBob();
    return real.has(...which);
  };
  await using service = await suite.startService({ crons: { ...real, has } });
  await using peer = connect(`127.0.0.1:${service.port}`);
  const change = { id, name: "bob's", manifest: inside("slow", "\nenv: [BY=bob]") };
  const changing = suite.as(bob, () => clients(peer).crons.updateCron(change));
  expect(await fault(changing)).toMatchObject({ code: "not_found" });
  expect(await crons.get(ann, id)).toMatchObject({ manifest: inside("slow") });
});
