import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";

const ci = constellation();
let ann: SignedUp;
let path: string;
let namespace: string;
beforeAll(async () => {
  ann = await ci.signUp();
  namespace = aWord("ns");
  created(await ann.post("/namespaces", { name: namespace }));
  path = `/n/${ann.username}/${namespace}/-/webhooks`;
});

const filter = {
  status: ["killed", "failed"],
  number: [1.5e3, 2],
  pinned: [true, false],
  reason: [null, "exit code 3"],
};
const create = (fields: object) =>
  ann.post(path, { payload_url: `http://example.com/${aWord("in")}`, active: false, ...fields });

test("a filter is stored, shown, listed, replaced and removed", async () => {
  const record = created(await create({ filter }));
  expect(record.filter).toEqual(filter);
  expect((await ann.get(record.url)).json).toEqual(record);
  expect((await ann.get(path)).json).toContainEqual(record);
  const patched = async (fields: object) => (await ann.patch(record.url, fields)).json.filter;
  for (const unchanged of [{ secret: "s" }, { filter: null }]) expect(await patched(unchanged)).toEqual(filter);
  expect(await patched({ filter: { "namespace.path": [namespace] } })).toEqual({ "namespace.path": [namespace] });
  expect(await patched({ filter: {} })).toBeNull();
  for (const none of [{}, { filter: {} }, { filter: null }]) expect(created(await create(none)).filter).toBeNull();
});

test("a webhook for failed builds receives no other events", async () => {
  await using inbox = await receiver();
  const events = ["build.finished"];
  const killed = { status: ["killed"], "trigger.comment": ["go"] };
  created(await create({ payload_url: inbox.url, active: true, events, filter: killed }));
  for (const comment of ["no", "go"]) {
    const { url } = created(await ann.post("/builds", aBuild({ namespace, comment })));
    expect((await ann.delete(url)).status).toBe(204);
  }
  const [request] = await eventually(() => {
    expect(inbox.requests).toHaveLength(1);
    return inbox.requests;
  });
  expect(JSON.parse(request!.body.toString())).toMatchObject({ status: "killed", trigger: { comment: "go" } });
});

const wrongType = "Filter must be an object of lists of strings, numbers, true, false and null";
const unknown = "is in none of the webhook's events: name a field of their payload, such as status or namespace.path";

const many = (count: number, of: (nth: number) => string) => Array.from({ length: count }, (_, nth) => of(nth)).join();

test.each([
  [wrongType, '"status=failed"'],
  [wrongType, '["status"]'],
  [wrongType, '{"status": "failed"}'],
  [wrongType, '{"status": ["failed", {}]}'],
  [wrongType, '{"status": [["failed"]]}'],
  ["Filter key __proto__ is reserved", '{"__proto__": ["a"]}'],
  [`Filter path constructor ${unknown}`, '{"constructor": ["a"]}'],
  [`Filter path build.status ${unknown}`, '{"build.status": ["failed"]}'],
  ['Filter status is "fialed" in none of the webhook\'s events', '{"status": ["fialed"]}'],
  ["Filter values of number cannot have more than 20 entries", `{"number": [${many(9_000, String)}]}`],
  ["Filter cannot have more than 10 entries", `{${many(9_000, (nth) => `"trigger.data.${nth}": ["a"]`)}}`],
])("a new webhook and a change get the complaint: %s", async (message, json) => {
  const record = created(await create({ events: ["build.finished"], filter }));
  const filters = async () =>
    (await ann.get(path)).json.map(({ id, filter: stored }: { id: number; filter: object }) => [id, stored]);
  const before = await filters();
  const body = { filter: JSON.parse(json) };
  const refused = { status: 400, json: { filter: [message] } };
  expect(await create({ events: ["build.finished"], ...body })).toMatchObject(refused);
  expect(await ann.patch(record.url, body)).toMatchObject(refused);
  expect(await filters()).toEqual(before);
});
