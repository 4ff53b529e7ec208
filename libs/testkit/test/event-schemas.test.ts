import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventKinds } from "@ci/webhooks/domain/event-kinds";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { connect, type MsgHdrs, type NatsConnection } from "nats";
import { createImage, createKey, createObject, createVariable } from "../../../services/gateway/test/_access-make.js";
import { addCollaborator as collaborate } from "../../../services/gateway/test/_access-place.js";
import { aBuild, aWord } from "../src/builders.js";
import { distinctEvents } from "../src/collect-events.js";
import { constellation, created } from "../src/constellation.js";
import { eventually } from "../src/eventually.js";

const ci = constellation({ runner: true });
const root = join(__dirname, "../../..");
const docs = join(root, "docs/events");
const files = readdirSync(docs).filter((name) => name.endsWith(".json"));

test("docs/events has an up-to-date schema for every kind of event", async () => {
  expect(files.sort()).toEqual(eventKinds.map((kind) => `${kind}.json`).sort());
  await promisify(execFile)(process.execPath, [join(docs, "generate.mjs"), "--check"], { cwd: root });
});

/** Returns the schema with additional properties forbidden. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strict(value)]));
  return "properties" in schema && "type" in schema ? { ...inner, additionalProperties: false } : inner;
}

interface StreamMessage {
  readonly subject: string;
  readonly headers: MsgHdrs;
  // biome-ignore lint/suspicious/noExplicitAny: read field by field
  readonly event: any;
}

describe("events of the running services", () => {
  const messages: StreamMessage[] = [];
  let nats: NatsConnection;
  beforeAll(async () => {
    nats = await connect({ servers: ci.natsUrl });
    nats.subscribe(`${ci.subjectPrefix}.events.>`, {
      callback: (_, message) =>
        messages.push({ subject: message.subject, headers: message.headers!, event: message.json() }),
    });
    await nats.flush();
    await makeEvents();
  });
  afterAll(() => nats?.close());

  /** Creates, changes and deletes records so that events of every kind are published. */
  async function makeEvents(): Promise<void> {
    const [ann, bob, eve] = [await ci.signUp(), await ci.signUp(), await ci.signUp()];
    const namespace = aWord("ns");
    created(await ann.post("/namespaces", { name: namespace, description: "of all kinds" }));
    const path = `/n/${ann.username}/${namespace}`;
    created(await ann.post("/namespaces", { parent: namespace, name: "child" }));
    await ann.patch(`${path}/child`, { description: "changed" });
    await collaborate(ann, bob, path);
    const { id } = created(await ann.post(`${path}/-/invites`, { handle: eve.username }));
    await eve.delete(`/invites/${id}`);
    const [upload, sshKey] = [await createObject(ann, { namespace }), await createKey(ann, { namespace })];
    const [plainVariable, disk] = [await createVariable(ann, { namespace }), await createImage(ann, { namespace })];
    created(await ann.post("/variables", { namespace, key: "MASKED", value: "a masked value", mask: true }));
    await ann.patch(`/keys/${sshKey.id}`, { config: "Host *" });
    const manifest = JSON.stringify({ namespace, driver: { type: "os" }, stages: ["s"], jobs: [] });
    const cron = created(await ann.post("/cron", { name: "nightly", schedule: "daily", manifest }));
    await ann.patch(cron.url, { schedule: "weekly" });
    const build = created(await ann.post("/builds", aBuild({ namespace, tags: ["v1"], objects: [upload.name] })));
    await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
    created(await ann.post(`${build.url}/tags`, ["v2"]));
    await ann.patch(`${build.url}/pin`);
    await ann.patch(`${build.url}/unpin`);
    for (const url of [
      cron.url,
      `/objects/${upload.id}`,
      `/keys/${sshKey.id}`,
      `/variables/${plainVariable.id}`,
      `/images/${disk.id}`,
    ])
      expect((await ann.delete(url)).status).toBe(204);
    await ann.delete(`${path}/child`);
    const deleted = ["cron", "images", "objects", "variables", "ssh_keys", "namespaces"];
    await eventually(() => {
      for (const kind of eventKinds) expect(receivedKinds()).toContain(kind);
      const last = messages.filter(({ event }) => JSON.stringify(event).includes('"action":"deleted"'));
      expect(deleted.filter((kind) => !last.some(({ event }) => event.kind === kind))).toEqual([]);
    });
  }

  const receivedKinds = () => messages.map(({ event }) => event.kind);
  const documented = () => messages.filter(({ event }) => eventKinds.includes(event.kind));

  test("of every kind match their schema and have no other fields", () => {
    const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
    addFormats.default(ajv);
    for (const kind of eventKinds) {
      const valid = ajv.compile(strict(JSON.parse(readFileSync(join(docs, `${kind}.json`), "utf8"))) as object);
      const ofKind = documented().filter(({ event }) => event.kind === kind);
      expect(ofKind.length).toBeGreaterThan(0);
      for (const { event } of ofKind)
        expect({ kind, errors: valid(event) ? null : valid.errors, event }).toMatchObject({ errors: null });
    }
  });

  test("have CloudEvents headers and their kind as subject", () => {
    for (const { subject, headers, event } of documented()) {
      expect(subject).toBe(`${ci.subjectPrefix}.events.${event.kind}`);
      const names = ["specversion", "id", "type", "time", "datacontenttype"];
      expect(Object.fromEntries(names.map((name) => [name, headers.get(`ce-${name}`)]))).toEqual({
        specversion: "1.0",
        id: event.id,
        type: `ci.${event.kind}`,
        time: event.at,
        datacontenttype: "application/json",
      });
      expect(headers.get("ce-source")).toMatch(/^\/(builds|namespaces|images)$/);
      expect(headers.get("Nats-Msg-Id")).toBe(event.id);
    }
  });

  test("of a build have consecutive numbers", () => {
    const { events, collect } = distinctEvents();
    for (const { event } of documented()) if (event.buildId !== undefined) collect(event);
    expect(events.map(({ kind, seq }) => [kind, seq])).toEqual([
      ["build.submitted", 1],
      ["build.started", 2],
      ["build.finished", 3],
      ["build.tagged", 4],
      ["build.pinned", 5],
      ["build.unpinned", 6],
    ]);
  });

  test("contain no masked value", () => {
    expect(JSON.stringify(messages.map(({ event }) => event))).not.toContain("a masked value");
  });
});
