import { readFileSync } from "node:fs";
import { join } from "node:path";
import { aDisk } from "@ci/testkit/a-disk";
import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const settings = {
  BODY_LIMIT: "64KiB",
  COMMENT_LENGTH: "10",
  SCOPE_LENGTH: "600",
  TEXT_LENGTH: "20",
  DESCRIPTION_LENGTH: "5",
  OBJECT_LIMIT: "1MiB",
  ARTIFACT_LIMIT: "10",
  JOB_LIMIT: "2",
  STAGE_LIMIT: "2",
  MANIFEST_LIMIT: "4KiB",
  MASK_LIMIT: "100",
  OUTPUT_LIMIT: "4KiB",
  TAG_LENGTH: "5",
  TAG_LIMIT: "2",
  IMAGE_LIMIT: "1MiB",
  IMAGE_VIRTUAL_LIMIT: "1GiB",
};
const ci = constellation({ settings, runner: true });
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

const page = readFileSync(join(__dirname, "../../../docs/operating/limits.md"), "utf8");

/** Returns the message of the page for a setting with this value. */
function documented(setting: string, value: string): string {
  const [, message] = new RegExp(`\\| \`${setting}\` \\| \`([^\`]+)\``).exec(page) ?? [];
  return message!.replace(/\bN\b/, value);
}

const job = { stage: "test", commands: ["true"] };
const submit = (fields: object, more: object = {}) =>
  ann.post("/builds", { manifest: aManifest({ ...fields }), ...more });

/** Submits a build of one job and returns its output. */
async function outputOf(fields: object) {
  const { url } = created(await submit({ jobs: [{ ...job, ...fields }] }));
  return eventually(async () => {
    const { json } = await ann.get(url);
    expect(json.finished_at).not.toBeNull();
    return { text: json.output as string };
  });
}

/** What exceeds each limit by little, and how messages spell its value. */
const excesses: readonly (readonly [keyof typeof settings, string, () => Promise<{ text: string }>])[] = [
  ["BODY_LIMIT", "", () => ann.post("/builds", { manifest: "x".repeat(64 * 1024) })],
  ["COMMENT_LENGTH", "10", () => submit({}, { comment: "x".repeat(11) })],
  ["SCOPE_LENGTH", "600", () => ann.post("/tokens", { name: aWord(), scope: "build:read ".repeat(60) })],
  ["TEXT_LENGTH", "20", () => ann.post("/variables", { key: "K".repeat(21), value: "v" })],
  ["DESCRIPTION_LENGTH", "5", () => ann.post("/namespaces", { name: aWord("ns"), description: "longer" })],
  ["OBJECT_LIMIT", "1", () => ann.send("POST", `/objects?name=${aWord()}`, { body: Buffer.alloc(1024 ** 2 + 1) })],
  ["ARTIFACT_LIMIT", "10 bytes", () => outputOf({ commands: ["echo 1234567890 > f"], artifacts: ["f"] })],
  ["JOB_LIMIT", "2", () => submit({ jobs: [job, job, job] })],
  ["STAGE_LIMIT", "2", () => submit({ stages: ["test", "a", "b"] })],
  ["MANIFEST_LIMIT", "4 KiB", () => submit({ env: [`A=${"x".repeat(4 * 1024)}`] })],
  [
    "MASK_LIMIT",
    "100 bytes",
    async () => {
      const namespace = created(await ann.post("/namespaces", { name: aWord("ns") })).path;
      created(await ann.post("/variables", { namespace, key: "SECRET", value: "s".repeat(101), mask: true }));
      return submit({ namespace });
    },
  ],
  ["OUTPUT_LIMIT", "M", () => outputOf({ commands: ["head -c 8192 /dev/zero | tr '\\0' x"] })],
  ["TAG_LENGTH", "5", () => submit({}, { tags: ["longer"] })],
  ["TAG_LIMIT", "2", () => submit({}, { tags: ["a", "b", "c"] })],
  [
    "IMAGE_LIMIT",
    "0.000976563",
    () => ann.send("POST", `/images?name=${aWord()}`, { body: aDisk({ sizeBytes: 1024 ** 2 + 1 }) }),
  ],
  [
    "IMAGE_VIRTUAL_LIMIT",
    "1",
    () => ann.send("POST", `/images?name=${aWord()}`, { body: aDisk({ virtualBytes: 2n * 1024n ** 3n }) }),
  ],
];

test.each(excesses)("%s refuses what exceeds it as limits.md says", async (setting, value, exceed) => {
  const { text } = await exceed();
  expect(text.replace(/after \d+ bytes/, "after M bytes")).toContain(documented(setting, value));
});

test("the API's description has the lengths that settings change", async () => {
  const { paths } = (await ci.as().get("/openapi.json")).json;
  const { properties } = paths["/builds"].post.requestBody.content["application/json"].schema;
  expect(properties.comment).toMatchObject({ type: "string", maxLength: 10, description: expect.any(String) });
  expect(JSON.stringify(paths)).not.toContain('"limit"');
});

test.each(["/builds", "/keys"])("a search in %s that is longer than any text is refused", async (path) => {
  const { status, json } = await ann.get(`${path}?search=${"[(".repeat(11)}`);
  expect([status, json]).toEqual([400, { search: ["Search cannot be longer than 20 characters in length"] }]);
});
