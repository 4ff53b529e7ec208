import { openMongo } from "@ci/kit/mongo/mongo";
import { asFault } from "@ci/kit/rpc/fault";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { idsBehind } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import type { BuildDoc } from "../src/domain/build.js";
import { bootBuilds, clients, manifest } from "./_suite.js";

const rounds = 20;
const buildsPerRound = 8;
const maxStallMs = 200;

const suite = bootBuilds();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** Delays the stalling replica at random. This is the race under test, not a wait for its outcome. */
const stall = () => new Promise<void>((resolve) => setTimeout(resolve, Math.random() * maxStallMs));

/** Submits builds through both replicas, and deletes their namespace or their user while some of them stall. */
async function round(nth: number, replicas: readonly (typeof suite.builds)[]) {
  const name = `storm${nth}`;
  const user: User = await suite.accounts.aUser(name);
  const namespace = await suite.accounts.aNamespace(user, name);
  const deletesUser = nth % 2 === 1;
  const request = { manifest: `namespace: ${name}${manifest}`, comment: "", tags: [] };
  const submitting = Array.from({ length: buildsPerRound }, async (_, n) => {
    const builds = replicas[n % replicas.length]!;
    const { build } = await suite.as(user, () => builds.submitBuild(request));
    return build!.id;
  });
  const submissions = Promise.allSettled(submitting);
  await Promise.race([stall(), submissions]);
  await deleteWithRetries(() =>
    deletesUser
      ? suite.as(suite.users.ann, () => suite.accounts.accounts.deleteUser({ username: name }))
      : suite.as(user, () => suite.accounts.namespaces.deleteNamespace({ id: namespace.id })),
  );
  const ids = (await submissions).flatMap((submission) =>
    submission.status === "fulfilled" ? [submission.value] : [],
  );
  // A build submitted after the deletion creates another namespace of the same name.
  return { ids, user, namespace, deletesUser };
}

/** Deletes, and retries after a timeout. If the call that timed out has worked, the retry gets not_found. */
const deleteWithRetries = (call: () => Promise<unknown>) =>
  eventually(() =>
    call().catch((error) => {
      if (asFault(error).code !== "not_found") throw error;
    }),
  );

it("no build becomes unreachable when one of two replicas stalls during deletions", async () => {
  const stalling = await suite.startService({ db: idsBehind({ pass: stall }, mongo.db) });
  const peer = connect(`127.0.0.1:${stalling.port}`);
  const replicas = [clients(peer).builds, suite.builds];
  const all = await Promise.all(Array.from({ length: rounds }, (_, nth) => round(nth, replicas)));
  const stored = mongo.db.collection<BuildDoc>("builds");
  const countUnreachable = async () => {
    const found = await Promise.all(
      all.map(({ ids, namespace, deletesUser }) =>
        stored
          .find(
            deletesUser
              ? { _id: { $in: ids }, status: { $ne: "killed" } }
              : { _id: { $in: ids }, namespaceId: namespace.id },
          )
          .toArray(),
      ),
    );
    return found.flat().length;
  };
  expect(all.flatMap(({ ids }) => ids).length).toBeGreaterThan(rounds);
  await eventually(async () => expect(await countUnreachable()).toBe(0));
  for (const { ids, user } of all.filter(({ deletesUser }) => !deletesUser)) {
    const { builds } = await suite.as(user, () => suite.builds.listBuilds({ tag: "", search: "" }));
    expect(builds.map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids.sort((a, b) => a - b));
  }
  await peer[Symbol.asyncDispose]();
  await stalling[Symbol.asyncDispose]();
});
