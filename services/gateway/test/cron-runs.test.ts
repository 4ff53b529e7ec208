import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Receiver, receiver } from "@ci/testkit/receiver";

const dayMs = 24 * 60 * 60 * 1_000;
// The clock starts at noon, so that midnight comes only when a test moves it.
let aheadMs = dayMs - ((Date.now() + dayMs / 2) % dayMs);
const now = () => new Date(Date.now() + aheadMs);
const ci = constellation({ now, settings: { DRIVERS: "os,docker" } });
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const midnight = expect.stringMatching(/T00:00:00\.000Z$/);
let ann: SignedUp;
let bob: SignedUp;
let eve: SignedUp;
let inbox: Receiver;
beforeAll(async () => {
  ann = await ci.signUp();
  bob = await ci.signUp();
  eve = await ci.signUp();
  inbox = await receiver();
});
afterAll(() => inbox[Symbol.asyncDispose]());
const userOf = ({ id, email, username }: SignedUp) => ({ id, email, username, created_at: time });

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

describe("a due cron job", () => {
  /** Waits for the cron job's run and returns the record after it. */
  async function afterRun(record: { url: string; next_run: string }) {
    return eventually(async () => {
      const { json } = await ann.get(record.url);
      expect(json.next_run).not.toBe(record.next_run);
      return json;
    });
  }

  test("submits a build with every field, which the cron job's list contains", async () => {
    const { name, copy } = await shared();
    const manifest = aManifest({ namespace: name });
    const record = created(
      await bob.post(
        "/cron",
        aCron({ name: "my nightly", manifest: aManifest({ namespace: `${name}@${ann.username}` }) }),
      ),
    );
    await ann.patch(record.url, { manifest });
    expect((await ann.get(`${record.url}/builds`)).json).toEqual([]);
    aheadMs += dayMs;
    const afterwards = await afterRun(record);
    const { status, json } = await ann.get(`${record.url}/builds`);
    expect(status).toBe(200);
    const [build] = json;
    const url = `${ci.url}/b/${ann.username}/${build.number}`;
    expect(json).toEqual([
      {
        id: expect.any(Number),
        user_id: ann.id,
        namespace_id: copy.id,
        number: expect.any(Number),
        status: "queued",
        output: null,
        tags: ["cron:my-nightly"],
        pinned: false,
        created_at: afterwards.prev_run,
        started_at: null,
        finished_at: null,
        reason: null,
        group: null,
        tests: null,
        url,
        objects_url: `${url}/objects`,
        variables_url: `${url}/variables`,
        keys_url: `${url}/keys`,
        jobs_url: `${url}/jobs`,
        artifacts_url: `${url}/artifacts`,
        tags_url: `${url}/tags`,
        output_url: `${url}/output`,
        content_url: `${url}/output?download`,
        user: userOf(ann),
        namespace: copy,
        trigger: {
          type: "schedule",
          comment: `my nightly: Scheduled build, next run ${afterwards.next_run}`,
          data: { email: ann.email, username: ann.username },
        },
        queue: { position: expect.any(Number), reason: "no runner for driver" },
        manifest,
      },
    ]);
    expect(afterwards).toEqual({ ...record, manifest, prev_run: time, next_run: midnight });
    expect((await bob.get(`${record.url}/builds?status=queued&search=NIGHT`)).json).toEqual([
      { ...build, queue: { position: expect.any(Number), reason: "no runner for driver" } },
    ]);
    expect((await bob.get(`${record.url}/builds?status=passed`)).json).toEqual([]);
    expect((await bob.get(`${record.url}/builds?tag=cron`)).json).toEqual([]);
    expect((await bob.get(`${record.url}/builds?status=over`)).json).toEqual({
      status: ["Status invalid status over"],
    });
    expect((await eve.get(`${record.url}/builds?status=over`)).status).toBe(404);
  });

  test("has an entry in the audit log for its build, with the cron job and its owner", async () => {
    const { name, copy } = await shared();
    const manifest = aManifest({ namespace: `${name}@${ann.username}` });
    const record = created(await bob.post("/cron", aCron({ manifest })));
    aheadMs += dayMs;
    await afterRun(record);
    const [build] = (await ann.get(`${record.url}/builds`)).json;
    const entry = {
      ...{ actor: "cron", origin_url: record.url, record_url: build.url, user_id: ann.id, username: ann.username },
      ...{ namespace: `${name}@${copy.user.username.toLowerCase()}`, status: 201, outcome: "done" },
    };
    await eventually(async () => {
      const { json } = await ci.admin.get(`/audit?namespace=${name}@${ann.username}&action=submitBuild`);
      expect(json).toMatchObject([entry]);
    });
  });

  test("has a list of the builds that the caller may view", async () => {
    const [privateSpace, publicSpace] = [await shared(), await shared("public")];
    const record = created(await ann.post("/cron", aCron({ manifest: aManifest({ namespace: privateSpace.name }) })));
    aheadMs += dayMs;
    await afterRun(record);
    const moved = await ann.patch(record.url, { manifest: aManifest({ namespace: publicSpace.name }) });
    aheadMs += dayMs;
    await afterRun(moved.json);
    expect((await ann.get(`${record.url}/builds`)).json).toHaveLength(2);
    expect((await eve.get(`${record.url}/builds`)).json).toMatchObject([{ namespace_id: publicSpace.copy.id }]);
  });

  test("records why no build was submitted", async () => {
    const record = created(await ann.post("/cron", aCron({ manifest: "driver: {type: qemu, image: a}" })));
    aheadMs += dayMs;
    expect(await afterRun(record)).toEqual({
      ...record,
      next_run: midnight,
      last_error: "Manifest driver error: qemu - driver disabled",
    });
    expect((await ann.get(`${record.url}/builds`)).json).toEqual([]);
  });
});

describe("events", () => {
  test("report creation, change and deletion of a cron job to the namespace's webhooks, but no runs", async () => {
    const { name, path } = await shared();
    created(await ann.post(`${path}/-/webhooks`, { payload_url: `${inbox.url}/${name}`, events: ["cron"] }));
    const received = () => inbox.requests.filter((request) => request.path === `/${name}`);
    const record = created(
      await bob.post("/cron", aCron({ manifest: aManifest({ namespace: `${name}@${ann.username}` }) })),
    );
    const changed = (await ann.patch(record.url, { schedule: "monthly" })).json;
    await ann.delete(record.url);
    await eventually(() => expect(received()).toHaveLength(3));
    expect(received().map(({ headers }) => headers["x-service-ci-event"])).toEqual(["cron", "cron", "cron"]);
    expect(received().map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { action: "created", cron: record },
      { action: "updated", cron: changed },
      { action: "deleted", cron: changed },
    ]);
  });

  test("are not sent for cron jobs deleted with their namespace", async () => {
    const { name, path } = await shared();
    const record = created(await ann.post("/cron", aCron({ manifest: aManifest({ namespace: name }) })));
    created(await ann.post(`${path}/-/webhooks`, { payload_url: `${inbox.url}/${name}` }));
    const received = () => inbox.requests.filter((request) => request.path === `/${name}`);
    expect((await ann.delete(path)).status).toBe(204);
    expect((await ann.get(record.url)).status).toBe(404);
    await eventually(async () => expect((await ann.get(`/cron?search=${record.name}`)).json).toEqual([]));
    await eventually(() => expect(received()).toHaveLength(1));
    expect(JSON.parse(received()[0]!.body.toString())).toMatchObject({ action: "deleted", namespace: { path: name } });
  });
});
