import { MongoClient } from "mongodb";
import { installationId } from "../../src/store/installation.js";
import { bootBuilds } from "../_suite.js";

const on = bootBuilds();

const told = async (queue: typeof on.queue) => (await queue.listLeases({ runnerId: "r" })).installation;

it("tells every runner the same, whichever replica it asks", async () => {
  await on.submit(on.users.ann);
  const { installation } = (await on.claim())!;
  expect(installation).toMatch(/^[0-9a-f]{16}$/);
  expect(await told(on.queue)).toBe(installation);
  expect(await told((await on.replica()).queue)).toBe(installation);
});

it("is made once, however many ask for it first, and differs from that of other data", async () => {
  const client = await MongoClient.connect(on.names.mongoUrl);
  const db = client.db(`${on.names.mongoDb}_other`);
  try {
    const ids = await Promise.all(Array.from({ length: 20 }, () => installationId(db)));
    expect(new Set(ids)).toEqual(new Set([await installationId(db)]));
    expect(ids[0]).not.toBe(await told(on.queue));
  } finally {
    await db.dropDatabase();
    await client.close();
  }
});
