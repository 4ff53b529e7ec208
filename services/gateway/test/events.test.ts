import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, made, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { join, leave } from "./_access-place.js";
import { listen } from "./_sse.js";

const ci = constellation();
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
let ann: SignedUp;
let bob: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
  bob = await ci.signUp();
});

/** A namespace of ann's: its routes, its record, and ways to emit events. */
async function aNamespace() {
  const name = aWord("ns");
  const root = made(await ann.post("/namespaces", { name, visibility: "public" }));
  const path = `/n/${ann.username}/${name}`;
  const variable = async (key: string, mask = false) =>
    made(await ann.post("/variables", { namespace: name, key, value: `secret of ${key}`, mask }));
  return { name, root, path, events: `${path}/-/events`, variable };
}

const keysOf = (events: readonly { data?: { variable?: { key: string } } }[]) =>
  events.map(({ data }) => data?.variable?.key);

describe("streams", () => {
  test("events as they happen, with every field", async () => {
    const { name, root, events } = await aNamespace();
    const response = await ann.open("GET", events);
    expect([response.statusCode, response.headers["content-type"], response.headers["cache-control"]]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      "no-cache",
    ]);
    response.on("error", () => undefined).destroy();
    using on = await listen(ann, events);
    const variable = made(await ann.post("/variables", { namespace: name, key: "A", value: "plain" }));
    const build = made(await ann.post("/builds", aBuild({ namespace: name })));
    const [first, second] = await on.some(2);
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

  test("no masked value", async () => {
    const { events, variable } = await aNamespace();
    using on = await listen(ann, events);
    await variable("MASKED", true);
    const [event] = await on.some(1);
    expect(event!.data.variable).toMatchObject({ key: "MASKED", masked: true, value: "xxxxxx" });
    expect(JSON.stringify(on.blocks)).not.toContain("secret of");
  });

  test("the events of exactly this namespace", async () => {
    const [one, two] = [await aNamespace(), await aNamespace()];
    using on = await listen(ann, one.events);
    await two.variable("OTHER");
    await one.variable("OWN");
    expect(keysOf(await on.some(1))).toEqual(["OWN"]);
  });

  test("only headers to HEAD", async () => {
    const { events } = await aNamespace();
    const { status, headers, text } = await ann.send("HEAD", events);
    expect([status, headers["content-type"], text]).toEqual([200, "text/event-stream; charset=utf-8", ""]);
  });
});

describe("resumes", () => {
  test("after every position, without loss or repetition", async () => {
    const { events, variable } = await aNamespace();
    using on = await listen(ann, events);
    const [start] = on.blocks;
    const keys = ["A", "B", "C", "D"];
    for (const key of keys) await variable(key);
    const all = await on.some(keys.length);
    for (const [nth, { id }] of [start!, ...all].entries()) {
      using again = await listen(ann, events, id);
      const rest = keys.slice(nth);
      expect(await again.some(rest.length)).toEqual(all.slice(nth));
      await eventually(() => expect(again.blocks[0]).toEqual({ event: undefined, id, data: undefined }));
    }
  });

  test("from the beginning after an invalid id, and from the end after an id beyond it", async () => {
    const { events, variable } = await aNamespace();
    using on = await listen(ann, events);
    await variable("A");
    await variable("B");
    await on.some(2);
    for (const id of ["0", "nonsense", "-1"]) {
      using whole = await listen(ann, events, id);
      expect(keysOf(await whole.some(2))).toEqual(["A", "B"]);
    }
    using beyond = await listen(ann, events, "9".repeat(40));
    await variable("C");
    expect(keysOf(await beyond.some(1))).toEqual(["C"]);
  });
});

describe("ends", () => {
  test("when a collaborator is removed, who gets no later event", async () => {
    const { path, events, variable } = await aNamespace();
    await join(ann, bob, path);
    using theirs = await listen(bob, events);
    using own = await listen(ann, events);
    // The event of his joining may precede them.
    const keys = (on: typeof own) => keysOf(on.events()).filter((key) => key !== undefined);
    await variable("BEFORE");
    await eventually(() => expect(keys(theirs)).toEqual(["BEFORE"]));
    await leave(ann, bob, path);
    await variable("AFTER");
    await eventually(() => expect(keys(own)).toEqual(["BEFORE", "AFTER"]));
    await theirs.closed;
    expect(keys(theirs)).toEqual(["BEFORE"]);
    expect((await bob.get(events)).status).toBe(404);
  });

  test("when the token is deleted", async () => {
    const { events } = await aNamespace();
    const token = made(await ann.post("/tokens", { name: aWord(), scope: "namespace:read" }));
    using on = await listen(ci.as(token.secret), events);
    expect((await ann.delete(`/tokens/${token.id}`)).status).toBe(204);
    await on.closed;
  });

  test("when the namespace is deleted", async () => {
    const { path, events } = await aNamespace();
    using on = await listen(ann, events);
    expect((await ann.delete(path)).status).toBe(204);
    await on.closed;
    expect((await ann.get(events)).status).toBe(404);
  });
});

describe("not_found", () => {
  test("for users who can only view the namespace", async () => {
    const { path, events } = await aNamespace();
    expect((await bob.get(path)).status).toBe(200);
    expect(await bob.get(events)).toMatchObject({ status: 404, json: { message: "Not Found" } });
    expect((await bob.send("HEAD", events)).status).toBe(404);
    expect((await ann.get(`/n/${ann.username}/nowhere/-/events`)).status).toBe(404);
  });
});
