import { MongoClient } from "mongodb";
import { installationId } from "../../src/store/installation.js";
import { bootBuilds } from "../_suite.js";

const suite = bootBuilds();

const installationAt = async (queue: typeof suite.queue) => (await queue.listLeases({ runnerId: "r" })).installation;

it("every replica returns the same installation id", async () => {
  await suite.submit(suite.users.ann);
  const { installation } = (await suite.claim())!;
  expect(installation).toMatch(/^[0-9a-f]{16}$/);
  expect(await installationAt(suite.queue)).toBe(installation);
  expect(await installationAt((await suite.replica()).queue)).toBe(installation);
});

it("twenty concurrent first calls return one id, which differs from that of another database", async () => {
  const client = await MongoClient.connect(suite.names.mongoUrl);
  const db = client.db(`${suite.names.mongoDb}_other`);
  try {
    const ids = await Promise.all(Array.from({ length: 20 }, () => installationId(db)));
    expect(new Set(ids)).toEqual(new Set([await installationId(db)]));
    expect(ids[0]).not.toBe(await installationAt(suite.queue));
  } finally {
    await db.dropDatabase();
    await client.close();
  }
});
