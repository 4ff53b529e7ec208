import { Readable } from "node:stream";
import { blobs } from "@ci/kit/bytes/blobs";
import { notFound } from "@ci/kit/rpc/fault";
import { suite } from "@ci/testkit/suite";
import { MongoClient } from "mongodb";
import { changeAndDrop } from "../src/actions/drop-contents.js";
import type { BuildDoc } from "../src/domain/build.js";
import { buildStore } from "../src/store/builds.js";
import { aBuild } from "./_build.js";

const names = suite();

it("the contents of a build are released before its only write, and deleted after it", async () => {
  await using client = await new MongoClient(names.mongoUrl, {
    monitorCommands: true,
    ignoreUndefined: true,
  }).connect();
  const db = client.db(`${names.mongoDb}_dropped`);
  const contents = blobs(db, "artifacts");
  await contents.ensureIndexes();
  const { blobId } = await contents.put(Readable.from([Buffer.from("content")]), {
    maxBytes: 100,
    tooLarge: notFound,
  });
  await contents.keep(blobId);
  const builds = buildStore(db, () => undefined);
  const artifact = { id: 1, name: "a", source: "a", jobId: 2, blobId, size: 7, createdAt: new Date(0) } as never;
  const build: BuildDoc = aBuild({ artifacts: [artifact] });
  await builds.insert([build]);
  const writes: string[] = [];
  client.on("commandStarted", ({ commandName, command }) => {
    if (commandName !== "find") writes.push(command[commandName]);
  });
  const after = await changeAndDrop({ builds, contents }, build._id, () => ({ set: { artifacts: [] } }));
  expect(after.artifacts).toEqual([]);
  expect(writes.filter((name) => name === "builds")).toEqual(["builds"]);
  expect(writes[0]).toBe("artifacts.uploads");
  expect(await db.collection("artifacts.files").countDocuments()).toBe(0);
});
