import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { addCollaborator, removeCollaborator } from "./_access-place.js";
import { openStream } from "./_sse.js";

const ci = constellation();
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
let ann: SignedUp;
let bob: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
  bob = await ci.signUp();
});

/** Creates a namespace of ann's. `variable` emits an event in it. */
async function aNamespace() {
  const name = aWord("ns");
  const root = created(await ann.post("/namespaces", { name, visibility: "public" }));
  const path = `/n/${ann.username}/${name}`;
  const variable = async (key: string, mask = false) =>
    created(await ann.post("/variables", { namespace: name, key, value: `secret of ${key}`, mask }));
  return { name, root, path, events: `${path}/-/events`, variable };
}

const keysOf = (events: readonly { data?: { variable?: { key: string } } }[]) =>
  events.map(({ data }) => data?.variable?.key);

describe("an event stream returns", () => {
  test("events as they happen, with every field", async () => {
    const { name, root, events } = await aNamespace();
    const response = await ann.open("GET", events);
    expect([response.statusCode, response.headers["content-type"], response.headers["cache-control"]]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      "no-cache",
    ]);
    response.on("error", () => undefined).destroy();
    using stream = await openStream(ann, events);
    const variable = created(await ann.post("/variables", { namespace: name, key: "A", value: "plain" }));
    const build = created(await ann.post("/builds", aBuild({ namespace: name })));
    const [first, second] = await stream.waitFor(2);
    const { parent, build: newest, ...copy } = root;
    expect(first).toEqual({
      event: "variables",
      id: expect.stringMatching(/^\d+$/),
      data: {
        action: "created",
        variable: {
          id: expect.any(Number),
          author_id: ann.id,
          user_id: ann.id,
          namespace_id: root.id,
          key: "A",
          value: "plain",
          masked: false,
          created_at: time,
          url: `${ci.url}/variables/${variable.id}`,
          author: copy.user,
          user: copy.user,
          namespace: copy,
        },
      },
    });
    expect(second).toEqual({ event: "build.submitted", id: expect.stringMatching(/^\d+$/), data: build });
    expect(Number(second!.id)).toBeGreaterThan(Number(first!.id));
  });

  test("a long event as a whole", async () => {
    const { name, events } = await aNamespace();
    using stream = await openStream(ann, events);
    const build = aBuild({ namespace: name });
    const submitted = created(
      await ann.post("/builds", { ...build, manifest: `${build.manifest}\n# ${"aé€😀".repeat(9_000)}` }),
    );
    expect(await stream.waitFor(1)).toMatchObject([{ event: "build.submitted", data: submitted }]);
  });

  test("no masked value", async () => {
    const { events, variable } = await aNamespace();
    using stream = await openStream(ann, events);
    await variable("MASKED", true);
    const [event] = await stream.waitFor(1);
    expect(event!.data.variable).toMatchObject({ key: "MASKED", masked: true, value: "xxxxxx" });
    expect(JSON.stringify(stream.blocks)).not.toContain("secret of");
  });

  test("the events of exactly this namespace", async () => {
    const [own, other] = [await aNamespace(), await aNamespace()];
    using stream = await openStream(ann, own.events);
    await other.variable("OTHER");
    await own.variable("OWN");
    expect(keysOf(await stream.waitFor(1))).toEqual(["OWN"]);
  });

  test("only headers to HEAD", async () => {
    const { events } = await aNamespace();
    const { status, headers, text } = await ann.send("HEAD", events);
    expect([status, headers["content-type"], text]).toEqual([200, "text/event-stream; charset=utf-8", ""]);
  });
});

describe("an event stream resumes", () => {
  test("after every position, without loss or repetition", async () => {
    const { events, variable } = await aNamespace();
    using stream = await openStream(ann, events);
    const [start] = stream.blocks;
    const keys = ["A", "B", "C", "D"];
    for (const key of keys) await variable(key);
    const all = await stream.waitFor(keys.length);
    for (const [nth, { id }] of [start!, ...all].entries()) {
      using resumed = await openStream(ann, events, id);
      const rest = keys.slice(nth);
      expect(await resumed.waitFor(rest.length)).toEqual(all.slice(nth));
      await eventually(() => expect(resumed.blocks[0]).toEqual({ event: undefined, id, data: undefined }));
    }
  });

  test("from the beginning after an invalid id, and from the end after an id beyond it", async () => {
    const { events, variable } = await aNamespace();
    using stream = await openStream(ann, events);
    await variable("A");
    await variable("B");
    await stream.waitFor(2);
    for (const id of ["0", "nonsense", "-1"]) {
      using fromStart = await openStream(ann, events, id);
      expect(keysOf(await fromStart.waitFor(2))).toEqual(["A", "B"]);
    }
    using beyond = await openStream(ann, events, "9".repeat(40));
    await variable("C");
    expect(keysOf(await beyond.waitFor(1))).toEqual(["C"]);
  });
});

describe("an event stream ends", () => {
  test("when a collaborator is removed, who gets no later event", async () => {
    const { path, events, variable } = await aNamespace();
    await addCollaborator(ann, bob, path);
    using bobsStream = await openStream(bob, events);
    using annsStream = await openStream(ann, events);
    // The event of the invite may precede these.
    const keys = (stream: typeof annsStream) => keysOf(stream.events()).filter((key) => key !== undefined);
    await variable("BEFORE");
    await eventually(() => expect(keys(bobsStream)).toEqual(["BEFORE"]));
    await removeCollaborator(ann, bob, path);
    await variable("AFTER");
    await eventually(() => expect(keys(annsStream)).toEqual(["BEFORE", "AFTER"]));
    await bobsStream.closed;
    expect(keys(bobsStream)).toEqual(["BEFORE"]);
    expect((await bob.get(events)).status).toBe(404);
  });

  test("when the token is deleted", async () => {
    const { events } = await aNamespace();
    const token = created(await ann.post("/tokens", { name: aWord(), scope: "namespace:read" }));
    using stream = await openStream(ci.as(token.secret), events);
    expect((await ann.delete(`/tokens/${token.id}`)).status).toBe(204);
    await stream.closed;
  });

  test("when the namespace is deleted", async () => {
    const { path, events } = await aNamespace();
    using stream = await openStream(ann, events);
    expect((await ann.delete(path)).status).toBe(204);
    await stream.closed;
    expect((await ann.get(events)).status).toBe(404);
  });
});

describe("an event stream is not found", () => {
  test("for users who can only view the namespace", async () => {
    const { path, events } = await aNamespace();
    expect((await bob.get(path)).status).toBe(200);
    expect(await bob.get(events)).toMatchObject({ status: 404, json: { message: "Not Found" } });
    expect((await bob.send("HEAD", events)).status).toBe(404);
    expect((await ann.get(`/n/${ann.username}/nowhere/-/events`)).status).toBe(404);
  });
});
