import { request } from "node:http";
import { openMongo } from "@ci/kit/mongo/mongo";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import { aBreakingServer } from "../../images/test/_breaking-server.js";

const names = suite();
const MiB = 1024 ** 2;
const content = aDisk({ sizeBytes: 8 * MiB + 99 });
let ci: Processes;
let mongo: Awaited<ReturnType<typeof openMongo>>;

beforeAll(async () => {
  ci = await startProcesses(names, { DOWNLOAD_LEASE: "1h" });
  mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_images`);
});
afterAll(async () => {
  await mongo?.[Symbol.asyncDispose]();
  await ci?.[Symbol.asyncDispose]();
});

const images = () => mongo.db.collection<{ _id: number }>("images");
/** Counts the documents of files, chunks and uploads. */
const storedDocuments = () =>
  Promise.all(
    ["files", "chunks", "uploads"].map((part) => mongo.db.collection(`contents.${part}`).estimatedDocumentCount()),
  );

it("an interrupted upload leaves nothing behind", async () => {
  const headers = { Authorization: `Bearer ${ci.token}`, "Content-Length": content.length };
  const sending = request(`${ci.origin}/images?name=cut`, { method: "POST", headers }).on("error", () => undefined);
  sending.write(content.subarray(0, 3 * MiB));
  await eventually(async () => expect((await storedDocuments())[1]).toBeGreaterThan(0));
  sending.destroy();
  await eventually(async () => expect(await storedDocuments()).toEqual([0, 0, 0]));
  expect((await ci.api.get("/images?search=cut")).json).toEqual([]);
});

it("a download whose service is killed continues with the rest, and the image is complete", async () => {
  const etag = '"one"';
  await using server = await aBreakingServer({ content, etag, silentAfter: 5 * MiB + 1 }, { content, etag });
  const { json: image } = await ci.api.post("/images", { name: "killed", download_url: server.url });
  await eventually(async () => expect(await storedDocuments()).toEqual([0, 5, 1]));
  await ci.kill("images");
  // Expires the lease.
  const dueAt = { $set: { "fetch.dueAt": new Date(0) } };
  expect(await images().updateOne({ _id: image.id }, dueAt)).toMatchObject({ modifiedCount: 1 });
  await ci.start("images");
  await eventually(async () => {
    const { json } = await ci.api.get(image.url);
    expect(json.download).toMatchObject({ error: null, received: content.length, total: content.length });
    expect(json.download.finished_at).not.toBeNull();
  });
  expect(server.ranges()).toEqual([
    [undefined, undefined],
    [`bytes=${4 * MiB}-`, etag],
  ]);
  const downloaded = await ci.api.get(image.url, { accept: "application/x-qemu-disk" });
  expect(downloaded.bytes.equals(content)).toBe(true);
  await eventually(async () => expect(await storedDocuments()).toEqual([1, 9, 0]));
});
