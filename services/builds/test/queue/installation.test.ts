import { MongoClient } from "mongodb";
import { installationId } from "../../src/store/installation.js";
import { bootBuilds } from "../_suite.js";

const on = bootBuilds();

const installationAt = async (queue: typeof on.queue) => (await queue.listLeases({ runnerId: "r" })).installation;

it("every replica returns the same installation id", async () => {
  await on.submit(on.users.ann);
  const { installation } = (await on.claim())!;
  expect(installation).toMatch(/^[0-9a-f]{16}$/);
  expect(await installationAt(on.queue)).toBe(installation);
  expect(await installationAt((await on.replica()).queue)).toBe(installation);
});

it("twenty concurrent first calls return one id, which differs from that of another database", async () => {
  const client = await MongoClient.connect(on.names.mongoUrl);
  const db = client.db(`${on.names.mongoDb}_other`);
  try {
    const ids = await Promise.all(Array.from({ length: 20 }, () => installationId(db)));
    expect(new Set(ids)).toEqual(new Set([await installationId(db)]));
    expect(ids[0]).not.toBe(await installationAt(on.queue));
  } finally {
    await db.dropDatabase();
    await client.close();
  }
});
