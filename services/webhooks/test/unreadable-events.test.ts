import { randomUUID } from "node:crypto";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { MongoClient } from "mongodb";
import { connect } from "nats";
import { eventKinds } from "../src/domain/event-kinds.js";
import { aBuild, bootWebhooks } from "./_suite.js";

const ci = bootWebhooks();

test("unreadable messages and events without a record do not block later events", async () => {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const webhook = await ci.aWebhook(namespace, inbox.url);
  await using mongo = new MongoClient(ci.names.mongoUrl);
  const stream = mongo.db(ci.config.mongoDb).collection("stream");
  const recorded = async () => {
    const found = await stream.find({ namespaceId: namespace.id }).sort({ _id: 1 }).toArray();
    return found.map(({ kind }) => kind);
  };
  const invited = ["invite.sent", "invite.accepted"];
  await eventually(async () => expect(await recorded()).toEqual(invited));
  const fields = { namespaceId: namespace.id, at: new Date().toISOString() };
  const bodies = [
    {},
    { buildTagged: {} },
    { namespace: { action: "deleted" } },
    { cron: {} },
    { key: {} },
    { user: {} },
  ];
  const nats = await connect({ servers: ci.names.natsUrl });
  for (const kind of [...eventKinds, "users"]) {
    const subject = `${ci.names.subjectPrefix}.events.${kind}`;
    for (const text of ["no JSON", "null", `{"id":"x","kind":"${kind}","at":"soon"}`]) nats.publish(subject, text);
    for (const body of bodies) nats.publish(subject, JSON.stringify({ id: randomUUID(), kind, ...fields, ...body }));
  }
  await nats.drain();
  await ci.publishBuild("build.started", aBuild(namespace.id));
  await ci.settled(webhook, 1);
  expect(inbox.requests.map(({ headers }) => headers["x-service-ci-event"])).toEqual(["build.started"]);
  await eventually(async () => expect(await recorded()).toEqual([...invited, "build.started"]));
});
