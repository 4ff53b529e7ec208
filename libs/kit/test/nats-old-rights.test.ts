import { startNats } from "@ci/testkit/stores";
import { connect } from "nats";
import { connectBus } from "../src/bus/bus.js";
import { natsUsers } from "../src/bus/nats-users.js";
import { createLog } from "../src/process/log.js";

test("without the rights of a new reader, all others are created", async () => {
  const users = natsUsers({ prefix: "shop", drivers: ["os"] }, () => "secret");
  await using server = await startNats(users.replaceAll("departures", "unknown"));
  const url = `nats://namespaces:secret@${server.address}`;
  await using bus = await connectBus(url, "shop", "namespaces", createLog("test", "silent"));
  await expect(bus.ensureReaders()).rejects.toThrow(/Permissions Violation/i);
  const operator = await connect({ servers: server.address, user: "ci", pass: "secret" });
  const consumers = await (await operator.jetstreamManager()).consumers.list("SHOP_EVENTS").next();
  expect(consumers.map(({ name }) => name).sort()).toEqual(["builds", "event-stream", "images", "webhooks"]);
  await operator.close();
});
