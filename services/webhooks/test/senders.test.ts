import { suite } from "@ci/testkit/suite";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { type Sender, senderStore } from "../src/store/senders.js";

const names = suite();

test("a sender counts as alive until its heartbeat expires, and a heartbeat does not wait for the disk", async () => {
  await using mongo = new MongoClient(names.mongoUrl, { monitorCommands: true, writeConcern: { w: "majority" } });
  const concerns: unknown[] = [];
  mongo.on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
    if (["update", "delete"].includes(commandName)) concerns.push(command.writeConcern);
  });
  const senders = senderStore(mongo.db(names.mongoDb).collection<Sender>("senders"));
  const isDead = () => senders.isDead("one", 3_600_000);
  expect(await isDead()).toBe(true);
  await senders.renew("one", 3_600_000);
  expect(await isDead()).toBe(false);
  await senders.renew("one", 0);
  expect(await isDead()).toBe(true);
  await senders.renew("one", 3_600_000);
  await senders.remove("one");
  expect(await isDead()).toBe(true);
  // The clock was set back by a day since the heartbeat.
  await senders.renew("one", 90_000_000);
  expect(await isDead()).toBe(true);
  expect(concerns).toEqual(Array(5).fill({ w: 1, j: false }));
});
