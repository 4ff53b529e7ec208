import { connectBus } from "@ci/kit/bus/bus";
import { outboxEvent } from "@ci/kit/mongo/document";
import { createLog } from "@ci/kit/process/log";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { WebhookServiceDefinition } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";
import { aBuild, bootWebhooks } from "./_suite.js";
import { kindsOf, watching } from "./_watching.js";

const ci = bootWebhooks();
const kinds = ["build.submitted", "build.started", "build.finished", "build.pinned", "build.unpinned"];

/** Watches a namespace's events. */
const watchEvents = (user: User, { id: namespaceId }: Pick<Namespace, "id">, after?: number, client = ci.webhooks) =>
  watching(
    (signal) => client.watchEvents({ namespaceId, after }, { signal }),
    (read) => ci.as(user, read),
  );

/** Creates a namespace and waits until its first events, bob's invite and his acceptance, are recorded. */
async function aNamespace(): Promise<Namespace> {
  const namespace = await ci.aNamespace();
  using watch = watchEvents(ci.users.ann, namespace, 0);
  await watch.waitFor(2);
  return namespace;
}

const publishAll = async (namespace: Namespace, some: readonly string[] = kinds) => {
  for (const kind of some) await ci.publishBuild(kind, aBuild(namespace.id));
};

describe("succeeds", () => {
  test("streams new events in order, with the body that webhooks receive", async () => {
    const [namespace, other] = [await aNamespace(), await aNamespace()];
    await publishAll(namespace, ["build.submitted"]);
    {
      using first = watchEvents(ci.users.ann, namespace, 0);
      await first.waitFor(3); // Bob's invite and his acceptance.
    }
    using watch = watchEvents(ci.users.bob, namespace);
    await watch.start();
    await publishAll(other, ["build.tagged"]);
    await publishAll(namespace);
    const events = await watch.waitFor(kinds.length);
    expect(kindsOf(events)).toEqual(kinds);
    const positions = [watch.startPosition(), ...events.map(({ position }) => position)];
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
    expect(JSON.parse(events[0]!.payload)).toMatchObject({ status: "queued", namespace: { id: namespace.id } });
  });

  test("streams the events after a position, from any replica", async () => {
    const namespace = await aNamespace();
    await publishAll(namespace);
    using whole = watchEvents(ci.users.ann, namespace, 0);
    const all = await whole.waitFor(kinds.length + 2);
    await using second = await ci.start();
    await using peer = connect(`127.0.0.1:${second.port}`);
    const secondClient = peer.client(WebhookServiceDefinition);
    for (const [index, { position }] of all.entries()) {
      using rest = watchEvents(ci.users.ann, namespace, position, secondClient);
      await rest.start();
      expect(await rest.waitFor(all.length - index - 1)).toEqual(all.slice(index + 1));
    }
    using beyond = watchEvents(ci.users.ann, namespace, Number.MAX_SAFE_INTEGER, secondClient);
    await beyond.start();
    await publishAll(namespace, ["build.pinned"]);
    expect(kindsOf(await beyond.waitFor(1))).toEqual(["build.pinned"]);
    // The watcher at the first replica receives it too.
    await whole.waitFor(all.length + 1);
  });

  test("streams an event once, even if the bus has it twice", async () => {
    const namespace = await aNamespace();
    using watch = watchEvents(ci.users.ann, namespace);
    await watch.start();
    await using bus = await connectBus(ci.names.natsUrl, ci.names.subjectPrefix, "test", createLog("test", "silent"));
    const body = { $case: "build", value: aBuild(namespace.id) } as const;
    const event = outboxEvent({ kind: "build.started", namespaceId: namespace.id, at: ci.now(), body });
    await bus.publish(event);
    await watch.waitFor(1);
    // Under another message id the bus stores it a second time, as it does after two minutes.
    await bus.publish({ ...event, id: "again" });
    await ci.publishBuild("build.finished", aBuild(namespace.id));
    await eventually(() => expect(kindsOf(watch.events())).toContain("build.finished"));
    expect(kindsOf(watch.events())).toEqual(["build.started", "build.finished"]);
  });

  test("streams more events than one read returns", async () => {
    const namespace = await aNamespace();
    const manifest = "x".repeat(100_000);
    const numbers = Array.from({ length: 150 }, (_, nth) => nth + 1);
    for (const number of numbers)
      await ci.publishBuild("build.started", aBuild(namespace.id, { number, manifest: number % 3 ? "" : manifest }));
    using watch = watchEvents(ci.users.ann, namespace, 0);
    const events = await watch.waitFor(numbers.length + 2);
    expect(events.slice(2).map(({ payload }) => JSON.parse(payload).number)).toEqual(numbers);
  });

  test("sends a long payload in pieces to clients that accept them, and whole to others", async () => {
    const namespace = await aNamespace();
    await ci.publishBuild("build.started", aBuild(namespace.id, { manifest: "aé€😀".repeat(30_000) }));
    await publishAll(namespace, ["build.finished"]);
    using whole = watchEvents(ci.users.ann, namespace, 0);
    const [, , long, short] = await whole.waitFor(4);
    expect(JSON.parse(long!.payload)).toMatchObject({ manifest: "aé€😀".repeat(30_000) });
    const request = { namespaceId: namespace.id, after: 0, acceptsPieces: true };
    for (const open of [
      (signal: AbortSignal) => ci.webhooks.watchEvents(request, { signal }),
      (signal: AbortSignal) => ci.webhooks.watchOwnEvents({ ...request, after: long!.position - 1 }, { signal }),
    ]) {
      using pieces = watching(open, (read) => ci.as(ci.users.ann, read));
      await eventually(() => expect(pieces.events()).toContainEqual(short));
      const parts = pieces.events().filter(({ position }) => position === long!.position);
      expect(parts.map(({ payload }) => payload).join("")).toBe(long!.payload);
      expect(parts.map(({ more }) => more)).toEqual([...Array(parts.length - 1).fill(true), false]);
      expect(Math.max(...parts.map(({ payload }) => Buffer.byteLength(payload)))).toBeLessThanOrEqual(8 * 1024);
    }
  });

  test("positions continue after a restart", async () => {
    const namespace = await aNamespace();
    await publishAll(namespace, ["build.started"]);
    using before = watchEvents(ci.users.ann, namespace, 0);
    const { position } = (await before.waitFor(3)).at(-1)!;
    await ci.restart(() => publishAll(namespace, ["build.finished"]));
    using after = watchEvents(ci.users.ann, namespace, position);
    const [next, ...more] = await after.waitFor(1);
    expect([next!.kind, more]).toEqual(["build.finished", []]);
    expect(next!.position).toBeGreaterThan(position);
  });
});

describe("not_found", () => {
  test("rejects users who are not members", async () => {
    const namespace = await aNamespace();
    using watch = watchEvents(ci.users.eve, namespace);
    await expect(watch.ended).rejects.toMatchObject({ code: "not_found" });
    using nowhere = watchEvents(ci.users.ann, { id: 999_999 });
    await expect(nowhere.ended).rejects.toMatchObject({ code: "not_found" });
  });

  const removeBob = ({ id: namespaceId }: Namespace) =>
    ci.as(ci.users.ann, () =>
      ci.accounts.namespaces.removeCollaborator({ namespaceId, handle: ci.users.bob.username }),
    );

  test("a stream ends as soon as its reader is removed as collaborator", async () => {
    const namespace = await aNamespace();
    using bobs = watchEvents(ci.users.bob, namespace);
    using anns = watchEvents(ci.users.ann, namespace);
    await Promise.all([bobs.start(), anns.start()]);
    await removeBob(namespace);
    await publishAll(namespace, ["build.started"]);
    await anns.waitFor(1);
    await expect(bobs.ended).rejects.toMatchObject({ code: "not_found" });
    expect(bobs.events()).toEqual([]);
  });

  test("a stream ends even if no event follows the removal", async () => {
    const namespace = await aNamespace();
    using bobs = watchEvents(ci.users.bob, namespace);
    await bobs.start();
    await removeBob(namespace);
    await expect(bobs.ended).rejects.toMatchObject({ code: "not_found" });
  });

  test("the stream of a slow reader ends before earlier events have been read", async () => {
    const namespace = await aNamespace();
    const build = aBuild(namespace.id, { manifest: "x".repeat(500_000) });
    const count = 40;
    for (let nth = 0; nth < count; nth++) await ci.publishBuild("build.started", build);
    using anns = watchEvents(ci.users.ann, namespace, 0);
    await anns.waitFor(count + 2);
    const slow = ci.webhooks.watchEvents({ namespaceId: namespace.id, after: 0 })[Symbol.asyncIterator]();
    const next = () => ci.as(ci.users.bob, () => slow.next());
    expect((await next()).value.position).toBe(0);
    await removeBob(namespace);
    let received = 0;
    const rest = async () => {
      while (!(await next()).done) received++;
    };
    await expect(rest()).rejects.toMatchObject({ code: "not_found" });
    // Messages on their way cannot be taken back.
    expect(received).toBeLessThan(count / 2);
  });

  test("a stream ends when its namespace is deleted", async () => {
    const namespace = await aNamespace();
    using watch = watchEvents(ci.users.ann, namespace);
    await watch.start();
    await ci.as(ci.users.ann, () => ci.accounts.namespaces.deleteNamespace({ id: namespace.id }));
    await expect(watch.ended).rejects.toMatchObject({ code: "not_found" });
  });
});
