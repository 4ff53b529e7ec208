import { rotation } from "@ci/testkit/keys";
import { suite } from "@ci/testkit/suite";
import { MongoClient } from "mongodb";
import { type EncryptedField, renewOne, rotateSecrets } from "../src/security/rotate.js";
import { decrypt, encrypt, type Keyring, keyIdOf } from "../src/security/secrets.js";

interface Box {
  _id: number;
  box?: { secret: string; note?: string };
  rev: number;
}

const { mongoUrl, mongoDb } = suite();
const client = new MongoClient(mongoUrl);
const db = client.db(mongoDb);
const boxes = db.collection<Box>("boxes");
afterEach(() => boxes.drop());
afterAll(() => client.close());

const owner = (id: number) => ({ kind: "box", id });
const encrypted = (keyring: Keyring, id: number, text: string) => ({ secret: encrypt(keyring, text, owner(id)) });
const guardedByValue: EncryptedField = {
  collection: "boxes",
  field: "box.secret",
  renewed: ({ _id, box }: Box, renew) => renew(box!.secret, owner(_id)),
};
const guardedByRevision: EncryptedField = { ...guardedByValue, revision: "rev" };
const { before, during, after } = rotation;
const run = () => rotateSecrets(db, during, [guardedByValue]);
const read = async (id: number) => decrypt(after, (await boxes.findOne({ _id: id }))!.box!.secret, owner(id));

test("rotateSecrets re-encrypts all documents in batches, except values under the first key", async () => {
  const ids = Array.from({ length: 450 }, (_, index) => index + 1);
  const keyringOf = (id: number) => (id % 3 === 0 ? after : before);
  await boxes.insertMany(ids.map((_id) => ({ _id, box: encrypted(keyringOf(_id), _id, `text ${_id}`), rev: 1 })));
  await boxes.insertOne({ _id: 451, rev: 1 });
  const third = await boxes.findOne({ _id: 3 });
  expect(await run()).toEqual({ renewed: 300, left: new Map() });
  expect(await Promise.all([1, 3, 449, 450].map(read))).toEqual(["text 1", "text 3", "text 449", "text 450"]);
  expect(await boxes.findOne({ _id: 3 })).toEqual(third);
  expect(await run()).toEqual({ renewed: 0, left: new Map() });
});

test("rotateSecrets counts, for each key, the values that it cannot decrypt, and re-encrypts the others", async () => {
  const altered = `old:${Buffer.alloc(40).toString("base64")}`;
  const lost = `lost:${Buffer.alloc(40).toString("base64")}`;
  await boxes.insertMany([
    { _id: 1, box: { secret: altered }, rev: 1 },
    { _id: 2, box: { secret: lost }, rev: 1 },
    { _id: 3, box: { secret: lost }, rev: 1 },
    { _id: 4, box: encrypted(before, 4, "four"), rev: 1 },
  ]);
  const undecryptable = new Map([
    ["old", 1],
    ["lost", 2],
  ]);
  expect(await run()).toEqual({ renewed: 1, left: undecryptable });
  expect(await boxes.findOne({ _id: 2 })).toMatchObject({ box: { secret: lost } });
  expect(await read(4)).toBe("four");
});

describe.each([
  ["the value", guardedByValue, 1],
  ["a revision", guardedByRevision, 2],
])("documents guarded by %s", (_, field, revAfter) => {
  test("renewOne keeps and re-encrypts a change made between its read and its write", async () => {
    const stale = { _id: 1, box: { ...encrypted(before, 1, "first"), note: "kept" }, rev: 1 };
    await boxes.insertOne({ ...stale, box: { ...encrypted(before, 1, "second"), note: "newer" }, rev: 2 });
    expect(await renewOne(db, during, field, stale)).toBe(1);
    expect(await boxes.findOne({ _id: 1 })).toMatchObject({ box: { note: "newer" }, rev: 1 + revAfter });
    expect(await read(1)).toBe("second");
  });

  test("renewOne leaves a newer value under the first key unchanged", async () => {
    const stale = { _id: 1, box: encrypted(before, 1, "first"), rev: 1 };
    const newer = { _id: 1, box: encrypted(during, 1, "second"), rev: 2 };
    await boxes.insertOne(newer);
    expect(await renewOne(db, during, field, stale)).toBe(0);
    expect(await boxes.findOne({ _id: 1 })).toEqual(newer);
  });

  test("renewOne does not restore removed documents and values", async () => {
    const stale = { _id: 1, box: encrypted(before, 1, "first"), rev: 1 };
    await boxes.insertOne({ _id: 2, rev: 1 });
    expect(await renewOne(db, during, field, stale)).toBe(0);
    expect(await renewOne(db, during, field, { ...stale, _id: 2, rev: 0 })).toBe(0);
    expect(await boxes.find({ _id: { $gt: 0 } }).toArray()).toEqual([{ _id: 2, rev: 1 }]);
  });
});

test("two rotations at once re-encrypt each value once; values written later under the old key are counted", async () => {
  await boxes.insertMany(
    Array.from({ length: 50 }, (_, index) => ({ _id: index + 1, box: encrypted(before, index + 1, "x"), rev: 1 })),
  );
  const [first, second] = await Promise.all([run(), run()]);
  expect(first.renewed + second.renewed).toBe(50);
  await boxes.updateOne({ _id: 7 }, { $set: { box: encrypted(before, 7, "late") } });
  const countOnly: EncryptedField = {
    ...guardedByValue,
    renewed: ({ box }: Box, renew) => renew(box!.secret, owner(0)),
  };
  expect(await rotateSecrets(db, during, [countOnly])).toEqual({ renewed: 0, left: new Map([["old", 1]]) });
  expect(keyIdOf((await boxes.findOne({ _id: 7 }))!.box!.secret)).toBe("old");
});
