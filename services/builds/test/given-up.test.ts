import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";
import { MongoNetworkError } from "mongodb";
import type { Context } from "../src/context.js";
import type { BuildDoc } from "../src/domain/build.js";
import { type BuildStore, buildStore } from "../src/store/builds.js";
import { buildInserter } from "../src/store/insert-builds.js";
import { lineStore } from "../src/store/queue/line.js";
import { queueStore } from "../src/store/queue/queue.js";
import { aBuild } from "./_build.js";
import { bootBuilds, clients, manifest } from "./_suite.js";

const suite = bootBuilds({ runningPerUser: 1 });

/** Starts a service, and returns its clients. `leave` ends a call, and resolves once the server knows it. */
async function startLeaving(parts: (leave: () => Promise<void>) => Parameters<typeof suite.startService>[0]) {
  const caller = new AbortController();
  let peer: ReturnType<typeof connect>;
  // A connected client sends all calls through one stream, whose messages the server reads in order.
  const roundTrip = () => clients(peer).queue.listLeases({ runnerId: "nobody" });
  const leave = async () => {
    caller.abort();
    await roundTrip();
  };
  const service = await suite.startService(parts(leave));
  peer = connect(`127.0.0.1:${service.port}`);
  await roundTrip();
  return {
    ...clients(peer),
    signal: caller.signal,
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

const store = (): BuildStore => buildStore(suite.database(), () => undefined);

it("a build that was claimed for a call without a caller is queued again, as if it had never been claimed", async () => {
  const { ann } = suite.users;
  const { number } = await suite.submit(ann);
  await using service = await startLeaving((leave) => {
    const real = store();
    const change: BuildStore["change"] = async (...how) => {
      const doc = await real.change(...how);
      if (doc.status === "running") await leave();
      return doc;
    };
    return { builds: { ...real, change } };
  });
  const claiming = service.queue.claimBuild({ runnerId: "gone", drivers: ["os"] }, { signal: service.signal });
  await expect(claiming).rejects.toThrow();
  const claimed = await eventually(async () => (await suite.claim()) ?? Promise.reject(new Error("not queued")));
  expect(claimed).toMatchObject({ epoch: 2, outputBytes: 0 });
  const { build } = await suite.as(ann, () => suite.builds.getBuild({ ref: { userId: ann.id, number }, brief: false }));
  expect(build).toMatchObject({ tags: [], output: undefined });
  await suite.finish(claimed, 0, "failed");
});

/** Changes builds like the real store, but the first claim fails after it was stored, as if MongoDB's primary had died. */
function losingReply(before: () => Promise<void> = async () => {}): Pick<Context, "builds"> {
  const real = store();
  let claims = 0;
  const change: BuildStore["change"] = async (...how) => {
    const doc = await real.change(...how);
    if (doc.status !== "running" || claims++ > 0) return doc;
    await before();
    throw new MongoNetworkError("connection closed");
  };
  return { builds: { ...real, change } };
}

const storedBuild = (id: number) => suite.database().collection<BuildDoc>("builds").findOne({ _id: id });

it("a claim whose reply from MongoDB was lost is repeated, and gives the runner the build", async () => {
  const { id } = await suite.submit(suite.users.ann);
  await using service = await startLeaving(() => losingReply());
  const { assignment } = await service.queue.claimBuild({ runnerId: "r", drivers: ["os"] });
  expect(assignment).toMatchObject({ buildId: id, epoch: 1 });
  expect(await storedBuild(id)).toMatchObject({ status: "running", epoch: 1, returns: 0 });
  await suite.finish(assignment!, 0, "failed");
});

it("a claim whose reply was lost counts as no return if the runner has left meanwhile", async () => {
  const { id } = await suite.submit(suite.users.ann);
  await using service = await startLeaving(losingReply);
  const claiming = service.queue.claimBuild({ runnerId: "gone", drivers: ["os"] }, { signal: service.signal });
  await expect(claiming).rejects.toThrow();
  await eventually(async () => expect(await storedBuild(id)).toMatchObject({ status: "queued", epoch: 1, returns: 0 }));
  await suite.finish((await suite.claim())!, 0, "failed");
});

it("a build whose submitter has left is not stored", async () => {
  const { bob } = suite.users;
  let stored: Promise<unknown> | undefined;
  await using service = await startLeaving((leave) => {
    const real = store();
    const insert: BuildStore["insert"] = (docs, signal) => {
      const inserting = leave().then(() => real.insert(docs, signal));
      stored = inserting;
      return inserting;
    };
    return { builds: { ...real, insert } };
  });
  const request = { manifest, comment: "", tags: [], variables: {} };
  const submitting = suite.as(bob, () => service.builds.submitBuild(request, { signal: service.signal }));
  await expect(submitting).rejects.toThrow();
  await expect(stored).rejects.toThrow();
  const { builds } = await suite.as(bob, () => suite.builds.listBuilds({ tag: "", search: "" }));
  expect(builds).toEqual([]);
});

it("a stored build is confirmed although MongoDB does not respond to its announcement", async () => {
  const { ann } = suite.users;
  let respond = () => {};
  const response = new Promise<void>((resolve) => {
    respond = resolve;
  });
  await using service = await startLeaving(() => ({
    line: { ...lineStore(suite.database()), queued: () => response },
  }));
  const request = { manifest, comment: "", tags: [], variables: {} };
  const { build } = await suite.as(ann, () => service.builds.submitBuild(request));
  expect(await storedBuild(build!.id)).toMatchObject({ status: "queued" });
  respond();
});

it("a call that was given up takes no other build out of the write that they share", async () => {
  const builds = suite.database().collection<BuildDoc>("inserted");
  const insert = buildInserter(builds);
  const givenUp = new AbortController();
  const inserting = [1, 2, 3].map((id) =>
    insert(aBuild({ _id: id, number: id }), 1_000, id === 2 ? givenUp.signal : undefined),
  );
  givenUp.abort(new Error("given up"));
  const outcomes = await Promise.allSettled(inserting);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(
    await builds
      .find({ _id: { $gt: 0 } })
      .map(({ _id }) => _id)
      .toArray(),
  ).toEqual([1, 3]);
});

it("a claim fails while MongoDB is away, and gives no further user a turn", async () => {
  for (const user of [suite.users.ann, suite.users.bob]) await suite.submit(user);
  let readings = 0;
  const oldest = async () => {
    readings++;
    throw new MongoNetworkError("connection closed");
  };
  await using service = await startLeaving(() => ({ queue: { ...queueStore(suite.database()), oldest } }));
  const claiming = service.queue.claimBuild({ runnerId: "r", drivers: ["os"] });
  await expect(claiming).rejects.toThrow("Service unavailable");
  expect(readings).toBe(1);
  for (let build = 0; build < 2; build++) await suite.finish((await suite.claim())!, 0, "failed");
});
