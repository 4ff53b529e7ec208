import { generateKeyPairSync } from "node:crypto";
import { aManifest } from "@ci/testkit/builders";
import { created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { type ApiRecord, watchNamespace } from "./_webhook-events.js";

// Runs operations with and without events. Exactly the expected events arrive at a webhook for all events.

const watched = watchNamespace({});
const { ci, space, fetchRecord, nextEvents, expectNoEvents, received } = watched;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const qcow2 = Buffer.from([0x51, 0x46, 0x49, 0xfb, 1, 2, 3]);
const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
let bob: SignedUp;
let carl: SignedUp;
beforeAll(async () => {
  [bob, carl] = await Promise.all([ci.signUp(), ci.signUp()]);
});

/** Returns a record as events embed it. */
const embedded = (record: ApiRecord) => ({ ...record, namespace: watched.copy });

describe("invites", () => {
  const userOf = ({ id, email, username }: SignedUp) => ({ id, email, username, created_at: time });
  const invite = async (handle: string) => created(await watched.ann.post(`${watched.path}/-/invites`, { handle }));

  test("report sending and accepting, but no removal of a collaborator", async () => {
    const { url } = await invite(bob.username);
    expect(await nextEvents("invite.sent")).toEqual([
      { invitee: userOf(bob), inviter: userOf(watched.ann), namespace: watched.copy },
    ]);
    expect((await bob.patch(url)).status).toBe(200);
    expect(await nextEvents("invite.accepted")).toEqual([{ invitee: userOf(bob), namespace: watched.copy }]);
    expect((await watched.ann.delete(`${watched.path}/-/collaborators/${bob.username}`)).status).toBe(204);
    await expectNoEvents();
  });

  test("report sending and rejecting, but no withdrawal", async () => {
    const { url } = await invite(carl.username);
    await nextEvents("invite.sent");
    expect((await carl.delete(url)).status).toBe(204);
    expect(await nextEvents("invite.rejected")).toEqual([{ invitee: userOf(carl), namespace: watched.copy }]);
    const withdrawn = await invite(carl.username);
    await nextEvents("invite.sent");
    expect((await watched.ann.delete(withdrawn.url)).status).toBe(204);
    await expectNoEvents();
  });
});

describe("records", () => {
  /** Expects the event of a created record, changes the record if `change` is given, and deletes it. */
  async function expectLifecycle(kind: string, field: string, record: ApiRecord, change?: object) {
    const fields = (record: ApiRecord) =>
      kind === "ssh_keys" ? { ssh_key: embedded(record), key: embedded(record) } : { [field]: embedded(record) };
    expect(await nextEvents(kind)).toEqual([{ action: "created", ...fields(record) }]);
    const after = change ? (await watched.ann.patch(record.url, change)).json : record;
    if (change) expect(await nextEvents(kind)).toEqual([{ action: "updated", ...fields(after) }]);
    expect((await watched.ann.delete(record.url)).status).toBe(204);
    expect(await nextEvents(kind)).toEqual([{ action: "deleted", ...fields(after) }]);
  }

  test("report changes of cron jobs", async () => {
    const manifest = aManifest({ namespace: space });
    await expectLifecycle("cron", "cron", created(await watched.ann.post("/cron", { name: "a", manifest })), {
      schedule: "weekly",
    });
  });

  test("report changes of objects", async () => {
    const record = created(await watched.ann.send("POST", `/objects?name=a&namespace=${space}`, { body: "text" }));
    await expectLifecycle("objects", "object", record);
  });

  test.each([
    [false, "a secret"],
    [true, "xxxxxx"],
  ])("report changes of variables, masked: %s", async (mask, value) => {
    const record = created(
      await watched.ann.post("/variables", { namespace: space, key: "A", value: "a secret", mask }),
    );
    expect(record).toMatchObject({ value, masked: mask });
    await expectLifecycle("variables", "variable", record);
  });

  test("report changes of keys", async () => {
    const record = created(await watched.ann.post("/keys", { namespace: space, name: "a", key: privateKey }));
    await expectLifecycle("ssh_keys", "key", record, { config: "Host x" });
  });

  test("report uploaded and downloaded images", async () => {
    await expectLifecycle(
      "images",
      "image",
      created(await watched.ann.send("POST", `/images?name=a&namespace=${space}`, { body: qcow2 })),
    );
    const headers = { "content-type": "application/octet-stream" };
    await using source = await receiver({ answer: () => ({ status: 200, headers, body: qcow2 }) });
    const body = { name: "b", namespace: space, download_url: source.url };
    const record = created(await watched.ann.post("/images", body));
    const [createdEvent, updatedEvent] = await nextEvents("images", "images");
    expect(createdEvent).toEqual({ action: "created", image: embedded(record) });
    const fetched = await fetchRecord(record.url);
    expect(updatedEvent).toEqual({ action: "updated", image: embedded(fetched) });
    expect(fetched.download).toMatchObject({ error: null, finished_at: time });
    await watched.ann.delete(record.url);
    expect(await nextEvents("images")).toEqual([{ action: "deleted", image: embedded(fetched) }]);
  });

  test("do not report changes of webhooks", async () => {
    const payload_url = `${watched.inbox.url}/other`;
    const { url } = created(await watched.ann.post(`${watched.path}/-/webhooks`, { payload_url, events: ["cron"] }));
    await watched.ann.patch(url, { active: false });
    await watched.ann.delete(url);
    await expectNoEvents();
  });
});

describe("namespaces", () => {
  const child = async (name: string) => fetchRecord(`${watched.path}/${name}`);

  test("report new namespaces to the parent's webhooks, also those created on the fly", async () => {
    const namespace = created(await watched.ann.post("/namespaces", { parent: space, name: "web" }));
    expect(await nextEvents("namespaces")).toEqual([{ action: "created", namespace }]);
    expect(namespace).toMatchObject({ parent: { id: watched.copy.id }, build: null });
    created(await watched.ann.post("/variables", { namespace: `${space}/fly/deep`, key: "A", value: "v" }));
    expect(await nextEvents("namespaces")).toEqual([{ action: "created", namespace: await child("fly") }]);
  });

  test("report each deleted namespace to its own webhooks, and the requested one also to its parent's", async () => {
    for (const name of ["fly", "fly/deep"])
      created(
        await watched.ann.post(`${watched.path}/${name}/-/webhooks`, { payload_url: `${watched.inbox.url}/${name}` }),
      );
    const [fly, deep] = [await child("fly"), await child("fly/deep")];
    expect((await watched.ann.delete(`${watched.path}/fly`)).status).toBe(204);
    expect(await nextEvents("namespaces")).toEqual([{ action: "deleted", namespace: fly }]);
    await eventually(() => {
      expect(received("/fly")).toEqual([["namespaces", { action: "deleted", namespace: fly }]]);
      // The parent is deleted too and may be null.
      const [[kind, { action, namespace: deleted }] = ["", {}], ...further] = received("/fly/deep");
      expect([kind, action, further]).toEqual(["namespaces", "deleted", []]);
      expect({ ...deleted, parent: deep.parent }).toEqual(deep);
    });
    await expectNoEvents();
  });
});

test("a root's webhooks receive its deletion, and have received no repeated or unexpected event", async () => {
  await expectNoEvents();
  const namespace = await fetchRecord(watched.path);
  expect((await watched.ann.delete(watched.path)).status).toBe(204);
  expect(await nextEvents("namespaces")).toEqual([{ action: "deleted", namespace }]);
  expect(received("/all")).toHaveLength(watched.checked());
});
