import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";

const dayMs = 24 * 60 * 60 * 1_000;
// The clock stands at noon, so that no cron job becomes due.
const aheadMs = dayMs - ((Date.now() + dayMs / 2) % dayMs);
const now = () => new Date(Date.now() + aheadMs);
const ci = constellation({ now, settings: { DRIVERS: "os,docker" } });
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const midnight = expect.stringMatching(/T00:00:00\.000Z$/);
let ann: SignedUp;
let bob: SignedUp;
let eve: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
  bob = await ci.signUp();
  eve = await ci.signUp();
});
const userOf = ({ id, email, username }: SignedUp) => ({ id, email, username, created_at: time });
const names = (records: { name: string }[]) => records.map(({ name }) => name);

/** Returns a cron job with a unique name. */
const aCron = (fields: object = {}) => ({ name: aWord("cron"), manifest: aManifest(), ...fields });

/** Creates a namespace of ann's with bob as a collaborator. `copy` is its form in other records. */
async function shared(visibility = "private") {
  const name = aWord("ns");
  const { parent, build, ...copy } = created(await ann.post("/namespaces", { name, visibility }));
  const path = `/n/${ann.username}/${name}`;
  const invite = created(await ann.post(`${path}/-/invites`, { handle: bob.username }));
  await bob.patch(invite.url);
  return { name, path, copy };
}

describe("succeeds", () => {
  test("returns every field of a new cron job", async () => {
    const name = aWord("cron");
    const manifest = aManifest();
    const { status, json } = await ann.post("/cron", { name, schedule: "weekly", manifest });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.any(Number),
      author_id: ann.id,
      user_id: ann.id,
      namespace_id: null,
      name,
      schedule: "weekly",
      timezone: "UTC",
      manifest,
      prev_run: null,
      next_run: midnight,
      last_error: null,
      created_at: time,
      url: `${ci.url}/cron/${json.id}`,
      author: userOf(ann),
      user: userOf(ann),
      namespace: null,
    });
    const next = new Date(json.next_run);
    expect([next.getUTCDay(), next.getTime() - Date.parse(json.created_at) <= 7 * dayMs]).toEqual([1, true]);
    expect((await ann.get(json.url)).json).toEqual(json);
    expect((await ann.get(`/cron?search=${name.toUpperCase()}`)).json).toEqual([json]);
  });

  test("uses daily as the default schedule", async () => {
    const { schedule, next_run, created_at } = created(await ann.post("/cron", aCron({ schedule: "" })));
    expect(schedule).toBe("daily");
    expect(Date.parse(next_run) - Date.parse(created_at)).toBeLessThanOrEqual(dayMs);
    expect(created(await ann.post("/cron", aCron({ schedule: null }))).schedule).toBe("daily");
  });

  test("creates the cron job in the namespace of its manifest, owned by the namespace's owner", async () => {
    const { name, copy } = await shared();
    const manifest = aManifest({ namespace: `${name}/made@${ann.username}` });
    const record = created(await bob.post("/cron", aCron({ manifest })));
    expect(record).toMatchObject({ author_id: bob.id, user_id: ann.id, author: userOf(bob), user: userOf(ann) });
    expect(record.namespace).toMatchObject({ id: record.namespace_id, parent_id: copy.id, path: `${name}/made` });
    expect((await ann.get(record.url)).json).toEqual(record);
  });

  test("changes only the given fields", async () => {
    const record = created(await ann.post("/cron", aCron()));
    const name = aWord("cron");
    const renamed = await ann.patch(record.url, { name });
    expect(renamed).toMatchObject({ status: 200, json: { ...record, name } });
    expect(renamed.json).toEqual({ ...record, name });
    const monthly = (await ann.patch(record.url, { schedule: "monthly" })).json;
    expect(monthly).toEqual({ ...record, name, schedule: "monthly", next_run: expect.stringMatching(/-01T00:00:00/) });
    const empty = { name: "", schedule: "", manifest: "driver:\nstages: []\n" };
    expect((await ann.patch(record.url, empty)).json).toEqual(monthly);
    expect((await ann.patch(record.url)).json).toEqual(monthly);
    expect((await ann.get(record.url)).json).toEqual(monthly);
  });

  test("deletes a cron job", async () => {
    const record = created(await ann.post("/cron", aCron()));
    expect(await ann.delete(record.url)).toMatchObject({ status: 204, text: "" });
    for (const method of ["GET", "PATCH", "DELETE"]) expect((await ann.send(method, record.url)).status).toBe(404);
    expect((await ann.get(`${record.url}/builds`)).status).toBe(404);
  });

  test("lists by name, 25 on a page", async () => {
    const carl = await ci.signUp();
    const all = Array.from({ length: 27 }, (_, n) => `c.${String(n).padStart(2, "0")}`);
    await Promise.all(all.map(async (name) => created(await carl.post("/cron", aCron({ name })))));
    created(await carl.post("/cron", aCron({ name: "Z" })));
    const first = await carl.get("/cron?search=c.");
    expect(names(first.json)).toEqual(all.slice(0, 25));
    expect(first.headers.link).toBe(`<${ci.url}/cron?search=c.&page=2>; rel="next"`);
    const second = await carl.get("/cron?search=c.&page=2");
    expect(names(second.json)).toEqual(all.slice(25));
    expect(second.headers.link).toBe(`<${ci.url}/cron?search=c.&page=1>; rel="prev"`);
    expect(names((await carl.get("/cron")).json)[0]).toBe("Z");
    expect(await carl.get("/cron?page=7")).toMatchObject({ status: 200, json: [] });
  });

  test("lists cron jobs of namespaces where the caller is a member, but not of public ones", async () => {
    const [privateSpace, publicSpace] = [await shared(), await shared("public")];
    const [privateCron, publicCron] = [
      created(await ann.post("/cron", aCron({ manifest: aManifest({ namespace: privateSpace.name }) }))),
      created(await ann.post("/cron", aCron({ manifest: aManifest({ namespace: publicSpace.name }) }))),
    ];
    const ids = (await bob.get("/cron")).json.map(({ id }: { id: number }) => id);
    expect(ids).toEqual(expect.arrayContaining([privateCron.id, publicCron.id]));
    expect((await eve.get("/cron")).json).toEqual([]);
    expect((await eve.get(privateCron.url)).status).toBe(404);
    expect((await eve.get(publicCron.url)).json).toEqual(publicCron);
  });
});

test("an expression in a time zone, and a run now", async () => {
  const cron = created(await ann.post("/cron", aCron({ schedule: "30 4 * * *", timezone: "Asia/Tokyo" })));
  expect(cron).toMatchObject({ schedule: "30 4 * * *", timezone: "Asia/Tokyo" });
  expect(cron.next_run).toMatch(/T19:30:00\.000Z$/);
  const moved = (await ann.patch(cron.url, { timezone: "UTC" })).json;
  expect([moved.schedule, moved.timezone, moved.next_run.slice(11)]).toEqual(["30 4 * * *", "UTC", "04:30:00.000Z"]);
  const { status, json } = await ann.post(`${cron.url}/run`);
  expect([status, json.status, json.trigger.type]).toEqual([201, "queued", "schedule"]);
  const builds = (await ann.get(`${cron.url}/builds`)).json;
  expect(builds.map(({ url }: { url: string }) => url)).toEqual([json.url]);
  expect((await eve.post(`${cron.url}/run`)).status).toBe(404);
});

describe("invalid", () => {
  test.each([
    [{}, { name: ["Name field required"], manifest: ["Manifest field required"] }],
    [
      { name: "", schedule: "yearly", manifest: "" },
      {
        name: ["Name field required"],
        schedule: ["Schedule invalid schedule yearly"],
        manifest: ["Manifest field required"],
      },
    ],
    [
      { name: "x".repeat(256), manifest: "driver: {type: ssh}" },
      {
        name: ["Name cannot be longer than 255 characters in length"],
        manifest: ["Manifest invalid driver specified ssh"],
      },
    ],
    [
      { name: 5, manifest: ["x"] },
      { name: ["Name must be a string"], manifest: ["Manifest must be a string"] },
    ],
    [
      { name: "a", manifest: aManifest({ namespace: "abc@admin" }) },
      { manifest: ["Manifest cannot submit to namespace"] },
    ],
    [
      { name: "a", manifest: aManifest({ namespace: ".ab@nobody.there" }) },
      {
        manifest: [
          "Manifest .ab@nobody.there: namespace: name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
          "Manifest .ab@nobody.there: namespace: invalid owner",
        ],
      },
    ],
  ])("rejects %j", async (body, fields) => {
    const { status, json } = await ann.post("/cron", body);
    expect({ status, json }).toEqual({ status: 400, json: fields });
  });

  test("rejects a taken name at creation and at a change", async () => {
    const record = created(await ann.post("/cron", aCron()));
    const other = created(await ann.post("/cron", aCron()));
    const taken = { status: 400, json: { name: ["Name already exists"] } };
    expect(await ann.post("/cron", aCron({ name: record.name }))).toMatchObject(taken);
    expect(await ann.patch(other.url, { name: record.name })).toMatchObject(taken);
    expect((await ann.patch(record.url, { name: record.name })).status).toBe(200);
    created(await bob.post("/cron", aCron({ name: record.name })));
  });

  test("rejects a collaborator's move to another namespace", async () => {
    const { name } = await shared();
    const record = created(await ann.post("/cron", aCron({ manifest: aManifest({ namespace: name }) })));
    const same = aManifest({ namespace: name, env: ["A=1"] });
    expect((await bob.patch(record.url, { manifest: same })).json).toEqual({ ...record, manifest: same });
    const elsewhere = await bob.patch(record.url, { manifest: aManifest({ namespace: aWord("ns") }) });
    expect(elsewhere).toMatchObject({ status: 400, json: { manifest: ["Manifest cannot submit to namespace"] } });
    expect((await ann.patch(record.url, { manifest: aManifest() })).json).toMatchObject({ namespace_id: null });
  });

  test("returns 404 instead of complaints to users who can only view the cron job", async () => {
    const { name } = await shared("internal");
    const record = created(await ann.post("/cron", aCron({ manifest: aManifest({ namespace: name }) })));
    expect((await eve.patch(record.url, { name: 5 })).status).toBe(404);
    expect((await eve.delete(record.url)).status).toBe(404);
    expect((await ann.patch(record.url, { name: 5 })).json).toEqual({ name: ["Name must be a string"] });
  });
});
