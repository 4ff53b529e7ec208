import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { addCollaborator, removeCollaborator } from "./_access-place.js";
import { type EventStream, openStream } from "./_sse.js";

const ci = constellation();
const events = "/events";
const [ann, bob, eve] = [{} as SignedUp, {} as SignedUp, {} as SignedUp];
beforeAll(async () => {
  for (const user of [ann, bob, eve]) Object.assign(user, await ci.signUp());
});

/** Creates a namespace. `variable` emits an event in it. */
async function aNamespace(owner = ann) {
  const name = aWord("ns");
  created(await owner.post("/namespaces", { name, visibility: "public" }));
  const variable = async (key: string) => created(await owner.post("/variables", { namespace: name, key, value: "1" }));
  return { name, path: `/n/${owner.username}/${name}`, variable };
}

const keysIn = (stream: EventStream) => stream.events().flatMap(({ data }) => data.variable?.key ?? []);
const buildsIn = (stream: EventStream) =>
  stream.events().flatMap(({ event, data }) => (data.number ? [[event, data.url]] : []));

describe("a user's stream returns", () => {
  test("builds outside of namespaces with every field, and those of namespaces, but no strangers' events", async () => {
    const { name } = await aNamespace();
    using stream = await openStream(ann, events);
    using strangers = await openStream(eve, events);
    const own = created(await ann.post("/builds", aBuild()));
    const inNamespace = created(await ann.post("/builds", aBuild({ namespace: name })));
    const theirs = created(await eve.post("/builds", aBuild()));
    await eventually(() =>
      expect(buildsIn(stream)).toEqual([
        ["build.submitted", own.url],
        ["build.submitted", inNamespace.url],
      ]),
    );
    const [first] = stream.events();
    expect(first).toEqual({ event: "build.submitted", id: expect.stringMatching(/^\d+$/), data: own });
    await eventually(() => expect(buildsIn(strangers)).toEqual([["build.submitted", theirs.url]]));
  });

  test("an administrator no more than others", async () => {
    using stream = await openStream(ci.admin, events);
    created(await ann.post("/builds", aBuild()));
    const own = created(await ci.admin.post("/builds", aBuild()));
    await eventually(() => expect(buildsIn(stream)).toEqual([["build.submitted", own.url]]));
  });

  test("only headers to HEAD", async () => {
    const { status, headers, text } = await ann.send("HEAD", events);
    expect([status, headers["content-type"], text]).toEqual([200, "text/event-stream; charset=utf-8", ""]);
    expect(headers.vary).toBe("Accept");
  });
});

test("a stream resumes after every position, without loss or repetition, while nobody follows", async () => {
  // Events that other tests made may still be on their way.
  const dora = await ci.signUp();
  const { variable } = await aNamespace(dora);
  let start: string | undefined;
  {
    using stream = await openStream(dora, events);
    start = stream.blocks[0]!.id;
  }
  const build = created(await dora.post("/builds", aBuild()));
  for (const key of ["A", "B"]) await variable(key);
  using whole = await openStream(dora, events, start);
  const all = await whole.waitFor(3);
  expect([buildsIn(whole), keysIn(whole)]).toEqual([[["build.submitted", build.url]], ["A", "B"]]);
  for (const [nth, { id }] of all.entries()) {
    using rest = await openStream(dora, events, id);
    expect(await rest.waitFor(all.length - 1 - nth)).toEqual(all.slice(nth + 1));
  }
});

test("a stream goes on without a namespace that its user has left, and with one that the user has joined", async () => {
  const [left, joined] = [await aNamespace(), await aNamespace()];
  await addCollaborator(ann, bob, left.path);
  using stream = await openStream(bob, events);
  await joined.variable("STRANGE");
  await left.variable("BEFORE");
  await eventually(() => expect(keysIn(stream)).toEqual(["BEFORE"]));
  await removeCollaborator(ann, bob, left.path);
  await addCollaborator(ann, bob, joined.path);
  await left.variable("AFTER");
  await joined.variable("JOINED");
  await eventually(() => expect(keysIn(stream).at(-1)).toBe("JOINED"));
  expect(keysIn(stream)).not.toContain("AFTER");
});

test("a stream ends when the token is deleted", async () => {
  const scope = "namespace:read build:read";
  const token = created(await ann.post("/tokens", { name: aWord(), scope }));
  using stream = await openStream(ci.as(token.secret), events);
  expect((await ann.delete(`/tokens/${token.id}`)).status).toBe(204);
  await stream.closed;
});

test.each([
  ["namespace:read", "build:read"],
  ["build:read", "namespace:read"],
])("a token with %s alone lacks %s", async (scope, missing) => {
  const token = created(await ann.post("/tokens", { name: aWord(), scope }));
  const { status, json } = await ci.as(token.secret).get(events);
  expect([status, json]).toEqual([403, { message: `Token lacks permission ${missing}` }]);
});
