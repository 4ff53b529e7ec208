import { MongoClient, MongoServerError } from "mongodb";
import { connect } from "nats";
import { removeTraces } from "../src/containers-down.js";
import { suite } from "../src/suite.js";

const { mongoUrl, mongoDb, natsUrl, subjectPrefix } = suite();

const connected = async () => {
  const nats = await connect({ servers: natsUrl });
  return Object.assign(nats, { [Symbol.asyncDispose]: () => nats.close() });
};

describe("MongoDB", () => {
  test("creates indexes, answers queries, and rejects a query without an index", async () => {
    await using mongo = new MongoClient(mongoUrl);
    const fruits = mongo.db(mongoDb).collection("fruits");
    await fruits.createIndex({ name: 1 }, { unique: true });
    await fruits.insertOne({ name: "plum", colour: "blue" });
    expect(await fruits.findOne({ name: "plum" })).toMatchObject({ colour: "blue" });
    await expect(fruits.findOne({ colour: "blue" })).rejects.toThrow(MongoServerError);
  });
});

describe("NATS", () => {
  test("stores a message of 4 MB in JetStream", async () => {
    await using nats = await connected();
    const { streams } = await nats.jetstreamManager();
    await streams.add({ name: subjectPrefix, subjects: [`${subjectPrefix}.>`] });
    const { seq } = await nats.jetstream().publish(`${subjectPrefix}.grown`, new Uint8Array(4_000_000));
    expect(seq).toBe(1);
  });
});

describe("removeTraces", () => {
  test("removes only databases and streams whose names begin with the prefix", async () => {
    await using mongo = new MongoClient(mongoUrl);
    for (const name of ["_mine_builds", "_mine_images", "_other"])
      await mongo
        .db(mongoDb + name)
        .collection("fruits")
        .insertOne({});
    await using nats = await connected();
    const { streams } = await nats.jetstreamManager();
    for (const name of ["_mine", "_other"])
      await streams.add({ name: subjectPrefix + name, subjects: [`${subjectPrefix}${name}.>`] });

    await removeTraces(mongoUrl, natsUrl, `${mongoDb}_mine`);

    const { databases } = await mongo.db().admin().listDatabases({ nameOnly: true });
    const left = databases.map(({ name }) => name).filter((name) => name.startsWith(`${mongoDb}_`));
    expect(left).toEqual([`${mongoDb}_other`]);
    const names = (await streams.list().next()).map(({ config }) => config.name);
    expect(names).toContain(`${subjectPrefix}_other`);
    expect(names).not.toContain(`${subjectPrefix}_mine`);
  });

  test("rejects an empty prefix", async () => {
    await expect(removeTraces(mongoUrl, natsUrl, "")).rejects.toThrow("everything");
  });
});
