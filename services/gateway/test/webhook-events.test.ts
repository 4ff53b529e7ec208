import { generateKeyPairSync } from "node:crypto";
import { aManifest } from "@ci/testkit/builders";
import { made, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { listening, type Shown } from "./_webhook-events.js";

// Runs every operation, with and without events, beside a webhook for all events: exactly the expected ones arrive.

const on = listening({});
const { ci, space, got, nextEvents, expectNoEvents, received } = on;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const qcow2 = Buffer.from([0x51, 0x46, 0x49, 0xfb, 1, 2, 3]);
const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
let bob: SignedUp;
let carl: SignedUp;
beforeAll(async () => {
  [bob, carl] = await Promise.all([ci.signUp(), ci.signUp()]);
});

/** A record as its events contain it. */
const within = (record: Shown) => ({ ...record, namespace: on.copy });

describe("invites", () => {
  const userOf = ({ id, email, username }: SignedUp) => ({ id, email, username, created_at: time });
  const invite = async (handle: string) => made(await on.ann.post(`${on.path}/-/invites`, { handle }));

  test("report sending and accepting, but no removal of a collaborator", async () => {
    const { url } = await invite(bob.username);
    expect(await nextEvents("invite.sent")).toEqual([
      { invitee: userOf(bob), inviter: userOf(on.ann), namespace: on.copy },
    ]);
    expect((await bob.patch(url)).status).toBe(200);
    expect(await nextEvents("invite.accepted")).toEqual([{ invitee: userOf(bob), namespace: on.copy }]);
    expect((await on.ann.delete(`${on.path}/-/collaborators/${bob.username}`)).status).toBe(204);
    await expectNoEvents();
  });

  test("report sending and rejecting, but no withdrawal", async () => {
    const { url } = await invite(carl.username);
    await nextEvents("invite.sent");
    expect((await carl.delete(url)).status).toBe(204);
    expect(await nextEvents("invite.rejected")).toEqual([{ invitee: userOf(carl), namespace: on.copy }]);
    const withdrawn = await invite(carl.username);
    await nextEvents("invite.sent");
    expect((await on.ann.delete(withdrawn.url)).status).toBe(204);
    await expectNoEvents();
  });
});

describe("records", () => {
  /** Expects the events of a record that is created, perhaps changed, and deleted. */
  async function lifeOf(kind: string, field: string, record: Shown, change?: object) {
    const fields = (shown: Shown) =>
      kind === "ssh_keys" ? { ssh_key: within(shown), key: within(shown) } : { [field]: within(shown) };
    expect(await nextEvents(kind)).toEqual([{ action: "created", ...fields(record) }]);
    const after = change ? (await on.ann.patch(record.url, change)).json : record;
    if (change) expect(await nextEvents(kind)).toEqual([{ action: "updated", ...fields(after) }]);
    expect((await on.ann.delete(record.url)).status).toBe(204);
    expect(await nextEvents(kind)).toEqual([{ action: "deleted", ...fields(after) }]);
  }

  test("report changes of cron jobs", async () => {
    const manifest = aManifest({ namespace: space });
    await lifeOf("cron", "cron", made(await on.ann.post("/cron", { name: "a", manifest })), { schedule: "weekly" });
  });

  test("report changes of objects", async () => {
    const record = made(await on.ann.send("POST", `/objects?name=a&namespace=${space}`, { body: "text" }));
    await lifeOf("objects", "object", record);
  });

  test.each([
    [false, "a secret"],
    [true, "xxxxxx"],
  ])("report changes of variables, masked: %s", async (mask, value) => {
    const record = made(await on.ann.post("/variables", { namespace: space, key: "A", value: "a secret", mask }));
    expect(record).toMatchObject({ value, masked: mask });
    await lifeOf("variables", "variable", record);
  });

  test("report changes of keys", async () => {
    const record = made(await on.ann.post("/keys", { namespace: space, name: "a", key: privateKey }));
    await lifeOf("ssh_keys", "key", record, { config: "Host x" });
  });

  test("report uploaded and downloaded images", async () => {
    await lifeOf(
      "images",
      "image",
      made(await on.ann.send("POST", `/images?name=a&namespace=${space}`, { body: qcow2 })),
    );
    const headers = { "content-type": "application/octet-stream" };
    await using source = await receiver({ answer: () => ({ status: 200, headers, body: qcow2 }) });
    const wish = { name: "b", namespace: space, download_url: source.url };
    const record = made(await on.ann.post("/images", wish));
    const [created, updated] = await nextEvents("images", "images");
    expect(created).toEqual({ action: "created", image: within(record) });
    const fetched = await got(record.url);
    expect(updated).toEqual({ action: "updated", image: within(fetched) });
    expect(fetched.download).toMatchObject({ error: null, finished_at: time });
    await on.ann.delete(record.url);
    expect(await nextEvents("images")).toEqual([{ action: "deleted", image: within(fetched) }]);
  });

  test("do not report changes of webhooks", async () => {
    const payload_url = `${on.inbox.url}/other`;
    const { url } = made(await on.ann.post(`${on.path}/-/webhooks`, { payload_url, events: ["cron"] }));
    await on.ann.patch(url, { active: false });
    await on.ann.delete(url);
    await expectNoEvents();
  });
});

describe("namespaces", () => {
  const child = async (name: string) => got(`${on.path}/${name}`);

  test("report new namespaces to the parent's webhooks, also those created on the fly", async () => {
    const namespace = made(await on.ann.post("/namespaces", { parent: space, name: "web" }));
    expect(await nextEvents("namespaces")).toEqual([{ action: "created", namespace }]);
    expect(namespace).toMatchObject({ parent: { id: on.copy.id }, build: null });
    made(await on.ann.post("/variables", { namespace: `${space}/fly/deep`, key: "A", value: "v" }));
    expect(await nextEvents("namespaces")).toEqual([{ action: "created", namespace: await child("fly") }]);
  });

  test("report each deleted namespace to its own webhooks, and the requested one also to its parent's", async () => {
    for (const name of ["fly", "fly/deep"])
      made(await on.ann.post(`${on.path}/${name}/-/webhooks`, { payload_url: `${on.inbox.url}/${name}` }));
    const [fly, deep] = [await child("fly"), await child("fly/deep")];
    expect((await on.ann.delete(`${on.path}/fly`)).status).toBe(204);
    expect(await nextEvents("namespaces")).toEqual([{ action: "deleted", namespace: fly }]);
    await eventually(() => {
      expect(received("/fly")).toEqual([["namespaces", { action: "deleted", namespace: fly }]]);
      // Its parent is deleted too and may be null.
      const [[kind, { action, namespace: last }] = ["", {}], ...others] = received("/fly/deep");
      expect([kind, action, others]).toEqual(["namespaces", "deleted", []]);
      expect({ ...last, parent: deep.parent }).toEqual(deep);
    });
    await expectNoEvents();
  });
});

test("nothing was sent twice, and nothing else was sent; a root's own webhooks get its deletion", async () => {
  await expectNoEvents();
  const namespace = await got(on.path);
  expect((await on.ann.delete(on.path)).status).toBe(204);
  expect(await nextEvents("namespaces")).toEqual([{ action: "deleted", namespace }]);
  expect(received("/all")).toHaveLength(on.checked());
});
