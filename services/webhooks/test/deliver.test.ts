import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { eventually } from "@ci/testkit/eventually";
import { type Answer, type Received, receiver } from "@ci/testkit/receiver";
import { Webhook as Verifier } from "standardwebhooks";
import { bodyDigest, verifies } from "./_signatures.js";
import { aBuild, bootWebhooks, publicUrl } from "./_suite.js";

const ci = bootWebhooks();

const kinds = ["build.submitted", "build.started", "build.finished"];
const kindOf = ({ headers }: Received) => headers["x-service-ci-event"];

/** Returns a receiver's answer function whose answers the test gives one by one. */
function manualAnswers() {
  const waiting: ((answer: Answer) => void)[] = [];
  return { waiting, answer: () => new Promise<Answer>((done) => waiting.push(done)) };
}

describe("succeeds", () => {
  test("delivers the events of a build in order, signed and with the build", async () => {
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    const secret = "tést-secret";
    const webhook = await ci.aWebhook(namespace, `${inbox.url}/in?x=1`, { secret });
    const build = aBuild(namespace.id, { userId: ci.users.ann.id, number: 7, manifest: "stages: []\n" });
    for (const kind of kinds) await ci.publishBuild(kind, build);
    const deliveries = await ci.settled(webhook, 3);

    expect(inbox.requests.map(kindOf)).toEqual(kinds);
    const [sent] = inbox.requests;
    const body = sent!.body.toString();
    expect(JSON.parse(body)).toMatchObject({
      id: 1,
      url: `${publicUrl}/b/ann/7`,
      manifest: "stages: []\n",
      user: { id: ci.users.ann.id, username: "ann" },
      namespace: { id: namespace.id, url: `${publicUrl}/n/ann/${namespace.path}` },
    });
    expect(sent).toMatchObject({ method: "POST", path: "/in?x=1" });
    const headers = sent!.headers as Record<string, string>;
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "content-length": String(sent!.body.length),
      accept: "*/*",
      "user-agent": "Service-CI-Hook",
      "x-service-ci-delivery": deliveries[0]!.deliveryId,
      "x-service-ci-hook-id": String(webhook.id),
      "x-service-ci-signature": bodyDigest(sent!, secret),
      "webhook-id": deliveries[0]!.deliveryId,
    });
    expect(verifies(sent!, secret)).toBe(true);
    // An independent verifier. It throws unless signature and time are right.
    new Verifier(Buffer.from(secret).toString("base64")).verify(body, headers);
    expect(deliveries[0]).toMatchObject({ status: "delivered", request: { payload: body } });
    const { number, redelivery, ...last } = deliveries[2]!.attempts[0]!;
    // The webhook is written after the delivery.
    await eventually(async () => expect((await ci.read(webhook)).lastResponse).toEqual(last));
  });

  test("delivers only the events of its namespace that an active webhook listens to", async () => {
    await using inbox = await receiver();
    const [namespace, other] = [await ci.aNamespace(), await ci.aNamespace()];
    await ci.aWebhook(namespace, `${inbox.url}/started`, { events: ["build.started"] });
    await ci.aWebhook(namespace, `${inbox.url}/inactive`, { active: false });
    await ci.aWebhook(other, `${inbox.url}/other`);
    const all = await ci.aWebhook(namespace, `${inbox.url}/all`);
    for (const kind of kinds) await ci.publishBuild(kind, aBuild(namespace.id));
    await ci.settled(all, 3);
    await eventually(() => expect(inbox.requests).toHaveLength(4));
    const kindsAt = (path: string) => inbox.requests.filter((request) => request.path === path).map(kindOf);
    expect([kindsAt("/all"), kindsAt("/started")]).toEqual([kinds, ["build.started"]]);
  });
});

test("a receiver that closes connections without notice gets each delivery in one attempt", async () => {
  const bodies: unknown[] = [];
  const served = new Set<Socket>();
  const server = createServer((incoming, response) => {
    const { socket } = incoming;
    const isFirst = !served.has(socket);
    served.add(socket);
    if (!isFirst) return void socket.resetAndDestroy();
    incoming.on("data", (chunk) => bodies.push(JSON.parse(chunk).number)).on("end", () => response.end());
  });
  using _closing = {
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const numbers = Array.from({ length: 10 }, (_, nth) => nth + 1);
  for (const number of numbers) await ci.publishBuild("build.submitted", aBuild(namespace.id, { number }));
  const deliveries = await ci.settled(webhook, 10);
  expect(deliveries.map(({ attempts }) => attempts.map(({ code }) => code))).toEqual(numbers.map(() => [200]));
  expect(bodies).toEqual(numbers);
});

describe("order", () => {
  test("one attempt runs at a time, first attempts go in order, and a failed one delays no other", async () => {
    let open = 0;
    let maxOpen = 0;
    await using inbox = await receiver({
      answer: async () => {
        maxOpen = Math.max(maxOpen, ++open);
        await new Promise(setImmediate);
        open--;
        return inbox.requests.length === 1 ? { status: 503, headers: { "Retry-After": "3600" } } : { status: 200 };
      },
    });
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url);
    const numbers = Array.from({ length: 20 }, (_, nth) => nth + 1);
    for (const number of numbers) await ci.publishBuild("build.submitted", aBuild(namespace.id, { number }));
    await eventually(async () => {
      const found = await ci.deliveries(webhook);
      expect(found.map(({ attemptCount }) => attemptCount)).toEqual(numbers.map(() => 1));
    });
    ci.advanceClock(3_660_000);
    await ci.settled(webhook, 20);
    expect(inbox.requests.map(({ body }) => JSON.parse(body.toString()).number)).toEqual([...numbers, 1]);
    expect(maxOpen).toBe(1);
  });

  test("first attempts go before retries that are due at the same time", async () => {
    const manual = manualAnswers();
    await using inbox = await receiver({ answer: manual.answer });
    await using elsewhere = await receiver();
    const namespace = await ci.aNamespace();
    const webhook = await ci.aWebhook(namespace, inbox.url, { events: ["build.submitted"] });
    const other = await ci.aWebhook(namespace, elsewhere.url, { events: ["build.started"] });
    const submit = (number: number) => ci.publishBuild("build.submitted", aBuild(namespace.id, { number }));
    const arrived = () => inbox.requests.map(({ body }) => JSON.parse(body.toString()).number as number);
    for (const number of [1, 2, 3]) {
      await submit(number);
      await eventually(() => expect(manual.waiting).toHaveLength(number));
      manual.waiting.at(-1)!({ status: 500, headers: { "Retry-After": "60" } });
    }
    await eventually(async () => {
      expect((await ci.deliveries(webhook)).map(({ attemptCount }) => attemptCount)).toEqual([1, 1, 1]);
    });
    ci.advanceClock(61_000);
    await eventually(() => expect(arrived()).toEqual([1, 2, 3, 1]));
    await submit(4);
    // Events are recorded in order: once this one is delivered, the one before it is pending.
    await ci.publishBuild("build.started", aBuild(namespace.id));
    await ci.settled(other, 1);
    for (const expected of [[4], [4, 2], [4, 2, 3]]) {
      manual.waiting.at(-1)!({ status: 200 });
      await eventually(() => expect(arrived()).toEqual([1, 2, 3, 1, ...expected]));
    }
    manual.waiting.at(-1)!({ status: 200 });
  });

  test("a slow receiver does not delay another", async () => {
    const slow = manualAnswers();
    await using slowReceiver = await receiver({ answer: slow.answer });
    await using inbox = await receiver();
    const namespace = await ci.aNamespace();
    await ci.aWebhook(namespace, slowReceiver.url);
    const quick = await ci.aWebhook(namespace, inbox.url);
    for (const kind of kinds) await ci.publishBuild(kind, aBuild(namespace.id));
    await ci.settled(quick, 3);
    expect(slow.waiting.length).toBeLessThan(3);
  });
});
