import { aBuild, aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const ci = constellation();
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});
const userOf = ({ id, email, username }: SignedUp) => ({ id, email, username, created_at: time });
const ids = (records: { id: number }[]) => records.map(({ id }) => id);

/** The queue place of a build that no runner serves. Its position depends on the other tests. */
const queuePlace = { position: expect.any(Number), reason: "no runner for driver" };

describe("succeeds", () => {
  test("returns every field of a new build", async () => {
    const carl = await ci.signUp();
    const manifest = aManifest({ namespace: "web" });
    const { status, json } = await carl.post("/builds", { manifest, comment: "First", tags: ["b", "a", "b"] });
    expect(status).toBe(201);
    const namespace = (await carl.get(`/n/${carl.username}/web`)).json;
    const { parent, build, ...copy } = namespace;
    const url = `${ci.url}/b/${carl.username}/1`;
    expect(json).toEqual({
      id: expect.any(Number),
      user_id: carl.id,
      namespace_id: namespace.id,
      number: 1,
      status: "queued",
      output: null,
      tags: ["a", "b"],
      pinned: false,
      created_at: time,
      started_at: null,
      finished_at: null,
      reason: null,
      url,
      objects_url: `${url}/objects`,
      variables_url: `${url}/variables`,
      keys_url: `${url}/keys`,
      jobs_url: `${url}/jobs`,
      artifacts_url: `${url}/artifacts`,
      tags_url: `${url}/tags`,
      output_url: `${url}/output`,
      content_url: `${url}/output?download`,
      user: userOf(carl),
      namespace: copy,
      trigger: { type: "manual", comment: "First", data: { email: carl.email, username: carl.username } },
      queue: queuePlace,
      group: null,
      manifest,
      tests: null,
    });
    const response = await carl.get(`/b/${carl.username.toUpperCase()}/1`);
    expect(response.json).toEqual({ ...json, queue: queuePlace });
    expect((await carl.get("/builds")).json).toEqual([{ ...json, queue: queuePlace }]);
    expect((await carl.get(`/n/${carl.username}/web/-/builds`)).json).toEqual([{ ...json, queue: queuePlace }]);
  });

  test("lists builds newest first, filtered by tag and status", async () => {
    const carl = await ci.signUp();
    const [older, newer] = [
      created(await carl.post("/builds", aBuild({ tags: ["v1.0", "x"] }))),
      created(await carl.post("/builds", aBuild({ tags: ["V1.1"] }))),
    ];
    await carl.delete(older.url);
    const list = async (query: string) => ids((await carl.get(`/builds${query}`)).json);
    expect(await list("")).toEqual([newer.id, older.id]);
    expect(await list("?tag=v1.0")).toEqual([older.id]);
    expect(await list("?tag=v1")).toEqual([]);
    expect(await list("?search=v1")).toEqual([newer.id, older.id]);
    expect(await list("?status=killed")).toEqual([older.id]);
    expect(await list("?status=killed&tag=V1.1")).toEqual([]);
    expect(await list("?status=")).toEqual([newer.id, older.id]);
    const refused = await carl.get("/builds?status=broken");
    expect(refused).toMatchObject({ status: 400, json: { status: ["Status invalid status broken"] } });
  });

  test("a list shows changes of a build and of its namespace at once", async () => {
    const carl = await ci.signUp();
    const [other, build] = [
      created(await carl.post("/builds", aBuild())),
      created(await carl.post("/builds", aBuild({ namespace: "web" }))),
    ];
    const list = async () => (await carl.get("/builds")).json;
    for (let n = 0; n < 2; n++) expect(ids(await list())).toEqual([build.id, other.id]);
    const { json: pinned } = await carl.patch(`${build.url}/pin`);
    expect(await list()).toMatchObject([{ pinned: true, namespace: pinned.namespace }, { pinned: false }]);
    await carl.patch(build.namespace.url, { description: "Pages" });
    expect(await list()).toMatchObject([{ pinned: true, namespace: { description: "Pages" } }, { namespace: null }]);
    await carl.delete(build.namespace.url);
    await eventually(async () => expect(await list()).toMatchObject([{ namespace: null }, { namespace: null }]));
  });

  test("pins and unpins a build, also twice", async () => {
    const { url, ...build } = created(await ann.post("/builds", aBuild()));
    for (const [verb, pinned] of [
      ["pin", true],
      ["pin", true],
      ["unpin", false],
      ["unpin", false],
    ] as const) {
      const { status, json } = await ann.patch(`${url}/${verb}`);
      expect([status, json]).toEqual([200, { ...build, url, pinned, queue: queuePlace }]);
    }
    expect((await ann.get(`${url}/pin`)).status).toBe(405);
  });

  test("kills a queued build at once; a second kill changes nothing", async () => {
    const { url } = created(await ann.post("/builds", aBuild()));
    for (let i = 0; i < 2; i++) expect(await ann.delete(url)).toMatchObject({ status: 204, text: "" });
    const { json } = await ann.get(url);
    expect(json).toMatchObject({ status: "killed", started_at: null, finished_at: time, queue: null });
    expect(json).toMatchObject({ reason: `killed by ${ann.username}`, output: null });
  });

  test("restarts a finished build", async () => {
    const { url } = created(await ann.post("/builds", aBuild({ comment: "Again", tags: ["t"] })));
    const early = await ann.post(`${url}/restart`);
    expect(early).toMatchObject({ status: 400, json: { status: ["Status build is not finished"] } });
    await ann.delete(url);
    const finished = (await ann.get(url)).json;
    const { json, status } = await ann.post(`${url}/restart`);
    const restartUrl = `${ci.url}/b/${ann.username}/${json.number}`;
    const lists = ["objects", "variables", "keys", "jobs", "artifacts", "tags", "output"];
    expect([status, json]).toEqual([
      201,
      {
        ...finished,
        id: expect.any(Number),
        number: expect.any(Number),
        status: "queued",
        created_at: time,
        finished_at: null,
        reason: null,
        queue: queuePlace,
        url: restartUrl,
        ...Object.fromEntries(lists.map((name) => [`${name}_url`, `${restartUrl}/${name}`])),
        content_url: `${restartUrl}/output?download`,
        trigger: { ...finished.trigger, data: { ...finished.trigger.data, restart_of: url } },
      },
    ]);
    expect(json.number).toBeGreaterThan(finished.number);
    expect((await ann.get(restartUrl)).json).toEqual({ ...json, queue: queuePlace });
  });
});

describe("jobs", () => {
  test("are listed in order of execution and found by name", async () => {
    const jobs = [
      { stage: "two", commands: ["b"] },
      { stage: "one", name: "Make it", commands: ["a", "b"] },
    ];
    const build = created(
      await ann.post("/builds", aBuild({ stages: ["one", "two"], jobs, sources: ["https://a.test/x"] })),
    );
    const { json } = await ann.get(build.jobs_url);
    expect(json.map(({ name }: { name: string }) => name)).toEqual(["create-driver", "clone.1", "make-it", "two.1"]);
    const clone = "mkdir -p -- 'x'\ngit clone -q -- 'https://a.test/x' 'x'\ncd -- 'x'";
    expect(json.map(({ commands }: { commands: string }) => commands)).toEqual(["", clone, "a\nb", "b"]);
    expect((await ann.get(`${build.jobs_url}/clone.1`)).json).toMatchObject({ commmands: clone, commands: clone });
    const { manifest, queue, tests, ...copy } = build;
    const url = `${build.jobs_url}/make-it`;
    expect(json[2]).toEqual({
      id: expect.any(Number),
      build_id: build.id,
      stage: "one",
      name: "make-it",
      commmands: "a\nb",
      commands: "a\nb",
      status: "queued",
      output: null,
      created_at: time,
      started_at: null,
      finished_at: null,
      exit_code: null,
      reason: null,
      url,
      output_url: `${url}/output`,
      content_url: `${url}/output?download`,
      build: { ...copy, queue: queuePlace },
    });
    // The queue place in a response may be a second old.
    expect((await ann.get(url)).json).toEqual({ ...json[2], build: { ...copy, queue: queuePlace } });
    expect(ids((await ann.get(`${build.jobs_url}?search=MAKE`)).json)).toEqual([json[2].id]);
    expect(ids((await ann.get(`${build.jobs_url}?name=MAKE&status=queued`)).json)).toEqual([json[2].id]);
    expect(ids((await ann.get(`${build.jobs_url}?search=A&name=MAKE`)).json)).toEqual([json[2].id]);
    expect((await ann.get(`${build.jobs_url}?search=MAKE&name=other`)).json).toEqual([]);
    expect((await ann.get(`${build.jobs_url}?status=passed`)).json).toEqual([]);
    expect((await ann.get(`${build.jobs_url}?status=x`)).status).toBe(400);
    expect((await ann.get(`${ci.url}/b/${ann.username}/999/jobs?status=x`)).status).toBe(404);
    expect((await ann.get(`${build.jobs_url}/nothing`)).status).toBe(404);
  });
});

describe("tags", () => {
  test("are added, listed and removed", async () => {
    const { url } = created(await ann.post("/builds", aBuild({ tags: ["old"] })));
    const added = await ann.post(`${url}/tags`, ["release/1.0", "old", "no way", "z"]);
    expect(added.status).toBe(201);
    const build = (await ann.get(url)).json;
    expect(build.tags).toEqual(["old", "release/1.0", "z"]);
    const { manifest, queue, tests, ...copy } = build;
    expect(added.json[0]).toEqual({
      id: expect.any(Number),
      user_id: ann.id,
      build_id: build.id,
      name: "release/1.0",
      created_at: time,
      url: `${url}/tags/release/1.0`,
      user: userOf(ann),
      build: { ...copy, queue: queuePlace },
    });
    expect(added.json).toHaveLength(2);
    const listed = (await ann.get(`${url}/tags`)).json;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(["old", "release/1.0", "z"]);
    // The queue place in a response may be a second old.
    const release = { ...listed[1], build: { ...listed[1].build, queue: queuePlace } };
    expect((await ann.get(`${url}/tags?search=RELEASE`)).json).toEqual([release]);
    expect((await ann.get(`${url}/tags/release%2F1.0`)).json).toEqual(release);
    expect((await ann.get(`${url}/tags?page=2`)).json).toEqual([]);
    expect(await ann.post(`${url}/tags`, ["old"])).toMatchObject({ status: 201, json: [] });
    expect(await ann.delete(listed[1].url)).toMatchObject({ status: 204, text: "" });
    expect((await ann.delete(listed[1].url)).status).toBe(404);
    expect((await ann.get(listed[1].url)).status).toBe(404);
    expect((await ann.post(listed[0].url)).status).toBe(405);
  });

  test.each(['{"tags":["a"]}', '"a"', "null", "[1]", '["a",null]'])(
    "reject %s, which is not a list of names",
    async (body) => {
      const { url } = created(await ann.post("/builds", aBuild()));
      const response = await ann.send("POST", `${url}/tags`, { body, headers: { "content-type": "application/json" } });
      expect(response).toMatchObject({ status: 400, json: { tags: ["Tags must be an array of strings"] } });
    },
  );

  test("may be an empty list or come in a form", async () => {
    const { url } = created(await ann.post("/builds", aBuild()));
    expect(await ann.send("POST", `${url}/tags`)).toMatchObject({ status: 201, json: [] });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const response = await ann.send("POST", `${url}/tags`, { body: "tags=a&tags=b", headers });
    expect(response).toMatchObject({ status: 201, json: [{ name: "a" }, { name: "b" }] });
  });

  test("can be changed only by members, whatever the body", async () => {
    const namespace = aWord("ns");
    created(await ann.post("/namespaces", { name: namespace, visibility: "public" }));
    const { url } = created(await ann.post("/builds", aBuild({ namespace })));
    const bob = await ci.signUp();
    expect((await bob.get(`${url}/tags`)).status).toBe(200);
    expect((await bob.post(`${url}/tags`, ["a"])).status).toBe(404);
    expect((await bob.post(`${url}/tags`, "a")).status).toBe(404);
    for (const [method, path] of [
      ["PATCH", "/pin"],
      ["DELETE", ""],
      ["DELETE", "/tags/a"],
      ["POST", "/restart"],
    ] as const)
      expect([path, (await bob.send(method, url + path)).status]).toEqual([path, 404]);
  });
});

describe("invalid", () => {
  test.each([
    [{}, { manifest: ["Manifest field required"] }],
    [
      { manifest: 5, tags: "a" },
      { manifest: ["Manifest must be a string"], tags: ["Tags must be an array of strings"] },
    ],
    [
      { manifest: "driver: {type: ssh}", comment: 5, tags: ["x".repeat(101)] },
      {
        manifest: ["Manifest invalid driver specified ssh"],
        comment: ["Comment must be a string"],
        tags: ["Tags name cannot be longer than 100 characters in length"],
      },
    ],
  ])("rejects %j", async (body, fields) => {
    const { status, json } = await ann.post("/builds", body);
    expect({ status, json }).toEqual({ status: 400, json: fields });
  });
});

describe("not_found", () => {
  test("hides another user's builds", async () => {
    const { url } = created(await ann.post("/builds", aBuild()));
    const bob = await ci.signUp();
    for (const below of ["", "/output", "/objects", "/variables", "/keys", "/jobs", "/artifacts", "/tags", "/jobs/x"])
      for (const build of [url, `/b/${ann.username}/999`, "/b/nobody/1"])
        expect([build, below, (await bob.get(build + below)).json]).toEqual([build, below, { message: "Not Found" }]);
  });
});
