import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";

const ci = constellation();
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
let ann: SignedUp;
let bob: SignedUp;
beforeAll(async () => {
  [ann, bob] = [await ci.signUp(), await ci.signUp()];
});

/** Creates a root of ann's. */
async function aRoot(fields: object = {}) {
  const name = aWord("ns");
  const record = created(await ann.post("/namespaces", { name, ...fields }));
  return { name, record, path: `/n/${ann.username}/${name}` };
}

/** Makes bob a collaborator. */
async function bobJoins(path: string): Promise<void> {
  const { id } = created(await ann.post(`${path}/-/invites`, { handle: bob.email }));
  expect((await bob.patch(`/invites/${id}`)).status).toBe(200);
}

const userOf = ({ id, email, username }: SignedUp) => ({ id, email, username, created_at: time });

describe("succeeds", () => {
  test("returns every field of a new root", async () => {
    const { name, record, path } = await aRoot({ description: "Ours" });
    const url = `${ci.url}${path}`;
    expect(record).toEqual({
      id: expect.any(Number),
      user_id: ann.id,
      root_id: record.id,
      parent_id: null,
      name,
      path: name,
      description: "Ours",
      visibility: "private",
      created_at: time,
      url,
      builds_url: `${url}/-/builds`,
      namespaces_url: `${url}/-/namespaces`,
      images_url: `${url}/-/images`,
      objects_url: `${url}/-/objects`,
      variables_url: `${url}/-/variables`,
      keys_url: `${url}/-/keys`,
      invites_url: `${url}/-/invites`,
      collaborators_url: `${url}/-/collaborators`,
      webhooks_url: `${url}/-/webhooks`,
      user: userOf(ann),
      parent: null,
      build: null,
    });
    expect((await ann.get(path)).json).toEqual(record);
  });

  test("returns a child with its parent and its newest build", async () => {
    const { name, record, path } = await aRoot({ visibility: "internal" });
    const child = created(await ann.post("/namespaces", { name: "web", parent: name, visibility: "public" }));
    const { build: _, parent: __, ...copy } = record;
    expect(child).toMatchObject({
      path: `${name}/web`,
      parent_id: record.id,
      root_id: record.id,
      visibility: "internal",
      url: `${ci.url}${path}/web`,
      parent: copy,
      build: null,
    });
    created(await ann.post("/builds", aBuild({ namespace: `${name}/web` })));
    const build = created(await ann.post("/builds", aBuild({ namespace: `${name}/web`, tags: ["b", "a"] })));
    const { manifest, queue, tests, ...shown } = build;
    expect((await ann.get(`${path}/web`)).json.build).toEqual({
      ...shown,
      queue: { ...queue, position: expect.any(Number) },
    });
    const children = await ann.get(`${path}/-/namespaces?search=WEB`);
    expect(children.json).toEqual([(await ann.get(`${path}/web`)).json]);
    expect((await ann.get(`${path}/-/namespaces?search=x`)).json).toEqual([]);
    expect((await ann.get(`${path}/-/builds`)).json).toEqual([]);
    expect((await ann.get(`${path}/web/-/builds`)).json.map((one: { id: number }) => one.id)).toContain(build.id);
  });

  test("changes a namespace", async () => {
    const { record, path } = await aRoot({ description: "old" });
    const changed = await ann.patch(path, { visibility: "public", name: "other" });
    expect(changed).toMatchObject({ status: 200, json: { ...record, visibility: "public" } });
    expect((await ann.patch(path, { description: "", visibility: "" })).json).toEqual({
      ...record,
      description: "",
      visibility: "public",
    });
  });

  test("deletes a namespace but not its records", async () => {
    const { name, path } = await aRoot();
    const build = created(await ann.post("/builds", aBuild({ namespace: `${name}/web` })));
    expect(await ann.delete(path)).toMatchObject({ status: 204, text: "" });
    expect((await ann.get(path)).status).toBe(404);
    expect((await ann.get(`${path}/web`)).status).toBe(404);
    expect((await ann.get(build.url)).status).toBe(200);
  });

  test("lists namespaces where the caller is a member, by path", async () => {
    const carl = await ci.signUp();
    // The name of the other root has no letters like these.
    for (const name of ["ppp", "Ooo", "qqq"]) created(await carl.post("/namespaces", { name }));
    const { record, path } = await aRoot();
    const { id } = created(await ann.post(`${path}/-/invites`, { handle: carl.username }));
    await carl.patch(`/invites/${id}`);
    const paths = (await carl.get("/namespaces")).json.map((one: { path: string }) => one.path);
    expect(paths).toEqual(["Ooo", "ppp", "qqq", record.path].sort());
    expect((await carl.get("/namespaces?search=PP")).json).toMatchObject([{ path: "ppp" }]);
    expect((await carl.get("/namespaces?search=.")).json).toEqual([]);
  });
});

describe("pages", () => {
  test("have 25 records and link to each other", async () => {
    const carl = await ci.signUp();
    for (let i = 10; i < 62; i++) created(await carl.post("/namespaces", { name: `page${i}` }));
    const first = await carl.get("/namespaces?search=page&x=%3Ca%3E");
    const url = (page: number) => `<${ci.url}/namespaces?search=page&x=%3Ca%3E&page=${page}>`;
    expect(first.json).toHaveLength(25);
    expect(first.headers.link).toBe(`${url(2)}; rel="next"`);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.link!)![1]!;
    const second = await carl.get(next);
    expect(second.json[0].path).toBe("page35");
    expect(second.headers.link).toBe(`${url(1)}; rel="prev", ${url(3)}; rel="next"`);
    const third = await carl.get("/namespaces?search=page&x=%3Ca%3E&page=3");
    expect([third.json.length, third.headers.link]).toEqual([2, `${url(2)}; rel="prev"`]);
    const beyond = await carl.get("/namespaces?search=page&x=%3Ca%3E&page=99999999999999999999");
    expect([beyond.status, beyond.json, beyond.headers.link]).toEqual([200, [], `${url(3)}; rel="prev"`]);
    for (const page of ["0", "-1", "x", "1.5", ""])
      expect((await carl.get(`/namespaces?page=${page}`)).json[0].path).toBe("page10");
  });

  test("have no links in a list of one page", async () => {
    const carl = await ci.signUp();
    created(await carl.post("/namespaces", { name: "one" }));
    for (const page of [1, 2]) expect((await carl.get(`/namespaces?page=${page}`)).headers.link).toBeUndefined();
  });
});

describe("members", () => {
  test("accepting an invite adds the collaborator and removes the invite", async () => {
    const { name, record, path } = await aRoot();
    const web = created(await ann.post("/namespaces", { name: "web", parent: name }));
    const invite = created(await ann.post(`${path}/web/-/invites`, { handle: bob.username.toUpperCase() }));
    const { build, parent, ...copy } = web;
    expect(invite).toEqual({
      id: expect.any(Number),
      namespace_id: web.id,
      inviter_id: ann.id,
      invitee_id: bob.id,
      created_at: time,
      url: `${ci.url}/invites/${invite.id}`,
      inviter: userOf(ann),
      invitee: userOf(bob),
      namespace: copy,
    });
    expect((await ann.get(`${path}/-/invites`)).json).toEqual([invite]);
    expect((await bob.get("/invites")).json).toEqual([invite]);
    expect((await bob.get(path)).status).toBe(404);
    const { build: _, parent: __, ...root } = record;
    const accepted = await bob.patch(invite.url);
    expect(accepted).toMatchObject({ status: 200 });
    expect(accepted.json).toEqual({ namespace: root, inviter: userOf(ann), invitee: userOf(bob) });
    expect((await bob.get("/invites")).json).toEqual([]);
    expect((await bob.get(path)).json).toEqual((await ann.get(path)).json);
    const collaborators = (await bob.get(`${path}/web/-/collaborators`)).json;
    expect(collaborators).toEqual([{ ...userOf(bob), url: `${ci.url}${path}/-/collaborators/${bob.username}` }]);
    expect((await bob.delete(collaborators[0].url)).status).toBe(404);
    expect((await ann.delete(collaborators[0].url)).status).toBe(204);
    expect((await bob.get(path)).status).toBe(404);
    expect((await ann.delete(collaborators[0].url)).status).toBe(404);
  });

  test("a collaborator can be removed by e-mail address", async () => {
    const { path } = await aRoot();
    await bobJoins(path);
    expect((await ann.delete(`${path}/-/collaborators/${encodeURIComponent(bob.email)}`)).status).toBe(204);
  });

  test("only the invitee can reject an invite, and only the owner can withdraw it", async () => {
    const { path } = await aRoot();
    const carl = await ci.signUp();
    for (const remover of [bob, ann]) {
      const { id } = created(await ann.post(`${path}/-/invites`, { handle: bob.username }));
      expect((await carl.delete(`/invites/${id}`)).status).toBe(404);
      expect((await ann.patch(`/invites/${id}`)).status).toBe(404);
      expect((await bob.get(`/invites/${id}`)).status).toBe(405);
      expect((await remover.delete(`/invites/${id}`)).status).toBe(204);
      expect((await remover.delete(`/invites/${id}`)).status).toBe(404);
    }
  });

  test("collaborators cannot invite, remove or change the namespace", async () => {
    const { path } = await aRoot();
    await bobJoins(path);
    expect((await bob.patch(path, {})).status).toBe(404);
    expect((await bob.delete(path)).status).toBe(404);
    expect((await bob.get(`${path}/-/invites`)).status).toBe(404);
    expect((await bob.post(`${path}/-/invites`, {})).status).toBe(404);
  });

  test("namespace:read or invite:read suffices to list invites", async () => {
    const { path } = await aRoot();
    for (const [scope, status] of [
      ["namespace:read", 200],
      ["invite:read", 200],
      ["build:read", 403],
    ] as const) {
      const { secret } = created(await ann.post("/tokens", { name: aWord(), scope }));
      const { json, ...response } = await ci.as(secret).get(`${path}/-/invites`);
      expect([scope, response.status]).toEqual([scope, status]);
      if (status === 403) expect(json).toEqual({ message: "Token lacks permission namespace:read" });
    }
  });
});

describe("invalid", () => {
  test.each([
    [{}, { name: ["Name field required"] }],
    [
      { name: "a".repeat(65), parent: "nobody", visibility: "secret", description: "x".repeat(256) },
      {
        name: ["Name cannot be longer than 64 characters in length"],
        parent: ["Could not find parent"],
        visibility: ["Visibility invalid visibility secret"],
        description: ["Description cannot be longer than 255 characters in length"],
      },
    ],
    [{ name: ["abc"] }, { name: ["Name must be a string"] }],
  ])("rejects the namespace %j", async (body, fields) => {
    const { status, json } = await ann.post("/namespaces", body);
    expect({ status, json }).toEqual({ status: 400, json: fields });
  });

  test("rejects a taken name", async () => {
    const { name } = await aRoot();
    const { status, json } = await ann.post("/namespaces", { name });
    expect({ status, json }).toEqual({ status: 400, json: { name: ["Name already exists"] } });
  });

  test("rejects invites to unknown users and to members", async () => {
    const { path } = await aRoot();
    const refused = async (handle: unknown) => (await ann.post(`${path}/-/invites`, { handle })).json;
    expect(await refused(undefined)).toEqual({ handle: ["Username or email field required"] });
    expect(await refused("nobody")).toEqual({ handle: ["No such user"] });
    expect(await refused(ann.username)).toEqual({ handle: ["Cannot invite self"] });
    expect(await refused(5)).toEqual({ handle: ["Username or email must be a string"] });
  });
});

describe("not_found", () => {
  test("hides a namespace that the caller may not see", async () => {
    const { path } = await aRoot();
    for (const list of ["", "/-/builds", "/-/namespaces", "/-/images", "/-/objects", "/-/variables", "/-/keys"])
      for (const namespacePath of [path, `/n/${ann.username}/${aWord()}`, `/n/${aWord()}/web`]) {
        const { status, json } = await bob.get(namespacePath + list);
        expect([list, status, json]).toEqual([list, 404, { message: "Not Found" }]);
      }
  });

  test("reports a missing namespace before a wrong filter", async () => {
    expect((await bob.get(`/n/${ann.username}/nothing/-/builds?status=x`)).status).toBe(404);
  });
});

describe("the badge", () => {
  const badge = async (path: string) => {
    const { status, headers, text } = await ci.as().get(`${path}/-/badge.svg`);
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([200, "image/svg+xml", "no-cache"]);
    return text;
  };

  test("shows the newest build of a public namespace, and `unknown` for every other namespace", async () => {
    const { name, path } = await aRoot();
    const unknown = await badge(path);
    expect(unknown).toContain("<title>Service CI: unknown</title>");
    expect(unknown).toContain('width="115"');
    expect(unknown).toContain("#6a7393");
    const build = created(await ann.post("/builds", aBuild({ namespace: name })));
    expect(await badge(path)).toBe(unknown);
    await ann.patch(path, { visibility: "internal" });
    expect(await badge(path)).toBe(unknown);
    await ann.patch(path, { visibility: "public" });
    const queued = await badge(path);
    expect(queued).toContain("<title>Service CI: queued</title>");
    expect(queued).toContain('width="105"');
    expect(queued).toContain("#272b39");
    await ann.delete(build.url);
    expect(await badge(path)).toContain("<title>Service CI: killed</title>");
    expect(await badge(`/n/${ann.username}/nothing`)).toBe(unknown);
    expect(await badge("/n/nobody/nothing")).toBe(unknown);
  });
});
