import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { type HostileField, hostileFields, hostileValues, type Places } from "./_hostile.js";
import { placesOf } from "./_hostile-places.js";

const ci = constellation();
let [ann, innocent]: SignedUp[] = [];
let places: Places;

beforeAll(async () => {
  [ann, innocent] = await Promise.all([ci.signUp(), ci.signUp()]);
  places = await placesOf(ann, ann.username);
});

const send = ({ method, path, body, byAdmin }: HostileField, value: string) =>
  (byAdmin ? ci.admin : ann!).send(method, path(places), {
    body: body(value),
    headers: { "content-type": "application/json" },
  });

const cases = hostileFields.flatMap((field) =>
  Object.entries(hostileValues).map(([name, value]) => [field.title, name, field, value] as const),
);

test.each(cases)("%s: %s", async (_title, _name, field, value) => {
  const [response, beside] = await Promise.all([send(field, value), innocent!.get("/user")]);
  expect(response.status).toBeLessThan(500);
  expect(response.bytes.length).toBeLessThan(4 * 1024 * 1024);
  if (response.status === 400)
    expect(Buffer.byteLength(Object.values(response.json).flat().join(""))).toBeLessThanOrEqual(8 * 1024);
  expect(beside.status).toBe(200);
});
