import { openMongo } from "@ci/kit/mongo/mongo";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { WebhookServiceDefinition } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";
import { aBuild, bootWebhooks } from "./_suite.js";
import { kindsOf, watching } from "./_watching.js";

const ci = bootWebhooks();

/** Watches all events that a user may see, and waits until the stream has begun. */
async function watchOwn(user: User, after?: number, client = ci.webhooks) {
  const watch = watching(
    (signal) => client.watchOwnEvents({ after }, { signal }),
    (read) => ci.as(user, read),
  );
  await watch.start();
  return watch;
}

const ofUser = (user: User) => aBuild(undefined, { userId: user.id });
const numbered = (namespace: Namespace, number: number) => aBuild(namespace.id, { number });
const numbersOf = (events: readonly { kind: string; payload: string }[]) =>
  events.filter(({ kind }) => kind.startsWith("build.")).map(({ payload }) => JSON.parse(payload).number);

/** Creates a namespace of ann's, and waits until bob's invitation and its acceptance are recorded. */
async function aNamespace(): Promise<Namespace> {
  const namespace = await ci.aNamespace();
  const recorded = () => ci.db.collection("stream").countDocuments({ namespaceId: namespace.id });
  await eventually(async () => expect(await recorded()).toBe(2));
  return namespace;
}

async function invite(namespace: Namespace, guest: User): Promise<void> {
  const request = { namespaceId: namespace.id, handle: guest.username };
  const { invite } = await ci.as(ci.users.ann, () => ci.accounts.namespaces.sendInvite(request));
  await ci.as(guest, () => ci.accounts.namespaces.acceptInvite({ id: invite!.id }));
}

const remove = (namespace: Namespace, guest: User) =>
  ci.as(ci.users.ann, () =>
    ci.accounts.namespaces.removeCollaborator({ namespaceId: namespace.id, handle: guest.username }),
  );

describe("succeeds", () => {
  test("streams a user's builds outside of namespaces, of the first stream too, and no others' builds", async () => {
    const { ann, eve } = ci.users;
    using anns = await watchOwn(ann);
    using eves = await watchOwn(eve);
    await ci.publishBuild("build.submitted", ofUser(eve));
    await ci.publishBuild("build.submitted", ofUser(ann));
    const tagged = { build: ofUser(ann), tags: ["v1"], userId: ann.id };
    await ci.publish({ kind: "build.tagged", body: { $case: "buildTagged", value: tagged } });
    const events = await anns.waitFor(2);
    expect(kindsOf(events)).toEqual(["build.submitted", "build.tagged"]);
    expect(JSON.parse(events[0]!.payload)).toMatchObject({ user: { username: ann.username }, namespace: null });
    expect(kindsOf(await eves.waitFor(1))).toEqual(["build.submitted"]);
  });

  test("streams the events of namespaces that the user owns or collaborates on, in order, and no strangers'", async () => {
    const { ann, bob, eve } = ci.users;
    const [first, second] = [await aNamespace(), await aNamespace()];
    const evesOwn = await ci.accounts.aNamespace(eve, "evesown");
    const [anns, bobs] = [await watchOwn(ann), await watchOwn(bob)];
    using _anns = anns;
    using _bobs = bobs;
    for (const [namespace, number] of [
      [first, 1],
      [evesOwn, 2],
      [second, 3],
      [first, 4],
    ] as const)
      await ci.publishBuild("build.started", numbered(namespace, number));
    for (const watch of [anns, bobs]) await eventually(() => expect(numbersOf(watch.events())).toEqual([1, 3, 4]));
    const positions = bobs.events().map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  test("continues after every position, on any replica, also more than one read returns", async () => {
    const { ann, bob } = ci.users;
    const namespace = await aNamespace();
    using whole = await watchOwn(bob);
    const manifest = "x".repeat(100_000);
    for (let number = 1; number <= 100; number++) {
      const large = number % 3 ? {} : { manifest };
      if (number % 2) await ci.publishBuild("build.started", aBuild(namespace.id, { number, ...large }));
      else await ci.publishBuild("build.started", aBuild(undefined, { userId: bob.id, number, ...large }));
      await ci.publishBuild("build.started", ofUser(ann));
    }
    const all = await whole.waitFor(100);
    await using second = await ci.start();
    await using peer = connect(`127.0.0.1:${second.port}`);
    for (const nth of [0, 1, 50, 99]) {
      using rest = await watchOwn(bob, all[nth]!.position, peer.client(WebhookServiceDefinition));
      expect(await rest.waitFor(99 - nth)).toEqual(all.slice(nth + 1));
    }
    using beyond = await watchOwn(bob, Number.MAX_SAFE_INTEGER);
    await ci.publishBuild("build.pinned", numbered(namespace, 1));
    expect(kindsOf(await beyond.waitFor(1))).toEqual(["build.pinned"]);
  });

  test("records builds outside of namespaces for a user who has left, also after a restart", async () => {
    const { bob } = ci.users;
    let position: number;
    {
      using before = await watchOwn(bob);
      position = before.startPosition();
    }
    await ci.publishBuild("build.started", ofUser(bob));
    await ci.restart(() => ci.publishBuild("build.finished", ofUser(bob)));
    using after = await watchOwn(bob, position);
    expect(kindsOf(await after.waitFor(2))).toEqual(["build.started", "build.finished"]);
  });
});

describe("memberships", () => {
  test("a stream goes on without a namespace that its user has left, and with one that the user has joined", async () => {
    const { bob, eve } = ci.users;
    const [left, joined] = [await aNamespace(), await aNamespace()];
    using bobs = await watchOwn(bob);
    await ci.publishBuild("build.started", numbered(left, 1));
    await ci.publishBuild("build.started", numbered(joined, 2));
    await eventually(() => expect(numbersOf(bobs.events())).toEqual([1, 2]));
    using eves = await watchOwn(eve);
    await remove(left, bob);
    await invite(joined, eve);
    await ci.publishBuild("build.started", numbered(left, 3));
    await ci.publishBuild("build.started", numbered(joined, 4));
    await eventually(() => expect(numbersOf(bobs.events())).toEqual([1, 2, 4]));
    await eventually(() => expect(numbersOf(eves.events())).toEqual([4]));
  });

  test("a slow reader gets no event of a namespace that it has left", async () => {
    const { ann, bob } = ci.users;
    const namespace = await aNamespace();
    using anns = await watchOwn(ann);
    const build = aBuild(namespace.id, { manifest: "x".repeat(500_000) });
    const count = 40;
    for (let nth = 0; nth < count; nth++) await ci.publishBuild("build.started", build);
    // Invitations of other tests may arrive as late.
    await eventually(() => expect(numbersOf(anns.events())).toHaveLength(count));
    const slow = ci.webhooks.watchOwnEvents({ after: anns.startPosition() })[Symbol.asyncIterator]();
    const next = () => ci.as(bob, () => slow.next());
    expect((await next()).value.position).toBe(anns.startPosition());
    await remove(namespace, bob);
    await ci.publishBuild("build.finished", ofUser(bob));
    let received = 0;
    while ((await next()).value.event.kind === "build.started") received++;
    // Messages on their way cannot be taken back.
    expect(received).toBeLessThan(count / 2);
    await slow.return?.();
  });

  test("events of a namespace that was deleted are not sent to those who continue after it", async () => {
    const { ann } = ci.users;
    const [gone, kept] = [await aNamespace(), await aNamespace()];
    using before = await watchOwn(ann);
    await ci.publishBuild("build.started", numbered(gone, 1));
    await ci.publishBuild("build.started", numbered(kept, 2));
    await eventually(() => expect(numbersOf(before.events())).toEqual([1, 2]));
    await ci.as(ann, () => ci.accounts.namespaces.deleteNamespace({ id: gone.id }));
    using after = await watchOwn(ann, before.startPosition());
    await eventually(() => expect(numbersOf(after.events())).toEqual([2]));
  });

  test("requests without a user are refused", async () => {
    const watch = watching(
      (signal) => ci.webhooks.watchOwnEvents({}, { signal }),
      (read) => read(),
    );
    await expect(watch.ended).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("costs", () => {
  test("builds outside of namespaces are recorded only for users who follow", async () => {
    await using mongo = await openMongo(ci.names.mongoUrl, `${ci.names.mongoDb}_webhooks`);
    const records = mongo.db.collection<{ _id: number; kind: string; userId: number }>("stream");
    const stranger = await ci.accounts.aUser("stranger");
    await ci.publishBuild("build.started", ofUser(stranger));
    using anns = await watchOwn(ci.users.ann);
    await ci.publishBuild("build.pinned", ofUser(ci.users.ann));
    await anns.waitFor(1);
    expect(await records.find({ userId: stranger.id }).toArray()).toEqual([]);
  });
});
