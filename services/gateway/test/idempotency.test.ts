import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const ci = constellation();
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

const post = (user: Pick<SignedUp, "send">, path: string, key: string, json: unknown = { manifest: aManifest() }) =>
  user.send("POST", path, { json, headers: { "Idempotency-Key": key } });
const numbers = async (user: SignedUp) =>
  (await user.get("/builds")).json.map(({ number }: { number: number }) => number);

test("a repeated submission returns the build as it is now, says so, and has an entry of its own in the audit log", async () => {
  const user = await ci.signUp();
  const first = await post(user, "/builds", "one");
  expect([first.status, first.headers["idempotent-replayed"]]).toEqual([201, undefined]);
  await user.patch(`${first.json.url}/pin`);
  const again = await post(user, "/builds", '"one"');
  expect([again.status, again.headers["idempotent-replayed"]]).toEqual([201, "true"]);
  expect(again.json).toEqual({ ...first.json, pinned: true, queue: expect.anything() });
  expect(await numbers(user)).toEqual([1]);
  await eventually(async () => {
    const { json } = await ci.admin.get(`/audit?user=${user.username}&action=submitBuild`);
    expect(json).toMatchObject([
      { status: 201, record_url: first.json.url },
      { status: 201, record_url: first.json.url },
    ]);
  });
});

test("32 at once make one build, also in a namespace that does not exist yet", async () => {
  const user = await ci.signUp();
  const body = { manifest: aManifest({ namespace: "new" }) };
  const made = await Promise.all(Array.from({ length: 32 }, () => post(user, "/builds", "one", body)));
  expect(new Set(made.map(({ status, json }) => `${status} ${json.number}`)).size).toBe(1);
  expect(made.filter(({ headers }) => headers["idempotent-replayed"] === undefined)).toHaveLength(1);
  expect(await numbers(user)).toEqual([made[0]!.json.number]);
});

test("400 for another body, and another user has keys of their own", async () => {
  const other = await ci.signUp();
  const key = aWord("key");
  created(await post(ann, "/builds", key));
  const { status, json } = await post(ann, "/builds", key, { manifest: aManifest(), comment: "other" });
  expect({ status, json }).toEqual({
    status: 400,
    json: {
      message:
        "Idempotency-Key belongs to another request; use a new key, or repeat the request without changes to get its build",
    },
  });
  expect((await post(other, "/builds", key)).headers["idempotent-replayed"]).toBeUndefined();
});

test("restarts and runs of cron jobs can be repeated", async () => {
  const record = created(await ann.post("/cron", { name: aWord("cron"), manifest: aManifest() }));
  const run = () => post(ann, `${record.url}/run`, "run", {});
  const build = created(await run());
  expect(await run()).toMatchObject({
    status: 201,
    json: { url: build.url },
    headers: { "idempotent-replayed": "true" },
  });
  expect((await ann.get(`${record.url}/builds`)).json).toHaveLength(1);
  await ann.delete(build.url);
  const restart = () => post(ann, `${build.url}/restart`, "restart", {});
  const next = created(await restart());
  expect((await restart()).json.url).toBe(next.url);
});

test("400 for a malformed key, after 404, and nothing is made", async () => {
  const user = await ci.signUp();
  for (const key of ["", '"a', "x".repeat(256)])
    expect(await post(user, "/builds", key)).toMatchObject({
      status: 400,
      json: {
        message: "Idempotency-Key must be one value of 1 to 255 printable ASCII characters, bare or as a quoted string",
      },
    });
  expect((await post(user, "/cron/999999/run", '"a')).status).toBe(404);
  expect((await post(user, "/b/nobody/1/restart", '"a')).status).toBe(404);
  expect(await numbers(user)).toEqual([]);
});
