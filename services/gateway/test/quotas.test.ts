import { generateKeyPairSync } from "node:crypto";
import { Readable } from "node:stream";
import { aDisk } from "@ci/testkit/a-disk";
import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";

const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
const perUser = ["NAMESPACES", "WEBHOOKS", "REPOSITORIES", "CRON_JOBS"].map((name) => [`${name}_PER_USER`, "1"]);
const resources = ["IMAGES", "OBJECTS", "VARIABLES", "KEYS", "COLLABORATORS"];
const perNamespace = resources.map((name) => [`${name}_PER_NAMESPACE`, "1"]);
const ci = constellation({
  settings: {
    ...Object.fromEntries([...perUser, ...perNamespace]),
    TOKENS_PER_USER: "2",
    OBJECT_QUOTA: "1MiB",
    IMAGE_QUOTA: "1MiB",
  },
});
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
  created(await ann.post("/namespaces", { name: "n" }));
});

const records: readonly (readonly [string, object, (nth: number) => Promise<{ status: number; json: unknown }>])[] = [
  [
    "namespaces",
    { namespaces: ["Namespaces cannot exceed 1 per user; delete one first"] },
    (nth) => (nth === 1 ? ann.get("/namespaces") : ann.post("/namespaces", { name: "m" })),
  ],
  [
    "namespaces on the fly",
    { namespace: ["Namespace cannot be created, namespaces cannot exceed 1 per user; delete one first"] },
    (nth) => (nth === 1 ? ann.get("/variables") : ann.post("/variables", { key: "K", value: "v", namespace: "n/m" })),
  ],
  [
    "namespaces of a build",
    { manifest: ["Manifest n/m: namespace: cannot be created, namespaces cannot exceed 1 per user; delete one first"] },
    (nth) => ann.post("/builds", { manifest: aManifest(nth === 1 ? {} : { namespace: "n/m" }) }),
  ],
  [
    "tokens",
    { tokens: ["Tokens cannot exceed 2 per user; delete one first"] },
    (nth) => ci.admin.post(`/users/${ann.username}/tokens`, { name: `t${nth}`, scope: "build:read" }),
  ],
  [
    "webhooks",
    { webhooks: ["Webhooks cannot exceed 1 per user; delete one first"] },
    (nth) => ann.post(`/n/${ann.username}/n/-/webhooks`, { payload_url: `https://example.com/${nth}` }),
  ],
  [
    "repositories",
    { repositories: ["Repositories cannot exceed 1 per user; delete one first"] },
    (nth) =>
      ann.post(`/n/${ann.username}/n/-/repositories`, {
        provider: "github",
        url: `https://github.com/octo/r${nth}.git`,
        secret: "hush",
      }),
  ],
  [
    "cron jobs",
    { cron_jobs: ["Cron jobs cannot exceed 1 per user; delete one first"] },
    (nth) => ann.post("/cron", { name: `c${nth}`, manifest: aManifest() }),
  ],
  [
    "images",
    { images: ["Images cannot exceed 1 per namespace; delete one first"] },
    (nth) => ann.send("POST", `/images?name=i${nth}`, { body: aDisk({ sizeBytes: 70_000 }) }),
  ],
  [
    "objects",
    { objects: ["Objects cannot exceed 1 per namespace; delete one first"] },
    (nth) => ann.send("POST", `/objects?name=o${nth}`, { body: "x" }),
  ],
  [
    "variables",
    { variables: ["Variables cannot exceed 1 per namespace; delete one first"] },
    (nth) => ann.post("/variables", { key: `K${nth}`, value: "v" }),
  ],
  [
    "keys",
    { keys: ["Keys cannot exceed 1 per namespace; delete one first"] },
    (nth) => ann.post("/keys", { name: `k${nth}`, key: privateKey }),
  ],
];

test.each(records)("one record too many is refused, as the API describes it: %s", async (_, complaint, create) => {
  expect([200, 201]).toContain((await create(1)).status);
  const { status, json } = await create(2);
  expect([status, json]).toEqual([400, complaint]);
});

test("one invite too many is refused", async () => {
  const [bob, eve] = [await ci.signUp(), await ci.signUp()];
  const invite = (handle: string) => ann.post(`/n/${ann.username}/n/-/invites`, { handle });
  created(await invite(bob.username));
  const { status, json } = await invite(eve.username);
  expect([status, json]).toEqual([
    400,
    { collaborators: ["Collaborators cannot exceed 1 per namespace; delete one first"] },
  ]);
});

test.each([
  ["objects", Buffer.alloc(3 * 1024 ** 2)],
  ["images", aDisk({ sizeBytes: 3 * 1024 ** 2 })],
])("an upload beyond the quota of %s is answered while it is being sent", async (kind, content) => {
  const bob = await ci.signUp();
  async function* unfinished() {
    yield content;
    await new Promise(() => {});
  }
  const { status, json } = await bob.send("POST", `/${kind}?name=${aWord("x")}`, { body: Readable.from(unfinished()) });
  const complaint = `File exceeds the storage quota of 1 MiB per user for ${kind}, 0 bytes are used: delete ${kind} to free space`;
  expect([status, json]).toEqual([400, { file: [complaint] }]);
});
