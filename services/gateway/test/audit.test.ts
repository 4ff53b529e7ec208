import { aManifest, aUser, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const ci = constellation({ settings: { TRUSTED_PROXIES: "127.0.0.0/8, 10.0.0.0/8" } });
let ann: SignedUp;
let bob: SignedUp;
beforeAll(async () => {
  [ann, bob] = await Promise.all([ci.signUp(), ci.signUp()]);
});

type Filters = Readonly<Record<string, string | number>>;
const list = (filters: Filters = {}) =>
  ci.admin.get(
    `/audit?${new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)] as [string, string]))}`,
  );

/** Returns the entries that match, newest first, once they have ended and are this many. */
const entries = (count: number, filters: Filters) =>
  eventually(async () => {
    const { status, json } = await list(filters);
    expect([status, json]).toEqual([200, expect.any(Array)]);
    expect(json).toHaveLength(count);
    for (const { outcome } of json) expect(outcome).not.toBe("unfinished");
    return json;
  });

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("an entry", () => {
  test("says who did what to which record, when, from where and with which token", async () => {
    const { json: tokens } = await ann.get("/tokens");
    const name = aWord("ns");
    created(await ann.post("/namespaces", { name }));
    const { json, headers } = await ann.send("POST", "/variables?secret=in-the-query", {
      json: { namespace: name, key: "KEY", value: "in-the-body" },
      headers: { "User-Agent": `curl/8 ${"x".repeat(300)}`, "X-Forwarded-For": "203.0.113.9" },
    });
    const [entry] = await entries(1, { action: "createVariable", user: ann.username });
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: time,
      actor: "user",
      user_id: ann.id,
      username: ann.username,
      token_id: tokens[0].id,
      token_name: "test",
      action: "createVariable",
      kind: "variable",
      method: "POST",
      path: "/variables",
      record_url: json.url,
      namespace: `${name}@${ann.username.toLowerCase()}`,
      origin_url: null,
      address: "203.0.113.9",
      user_agent: `curl/8 ${"x".repeat(193)}`,
      request_id: headers["x-request-id"],
      status: 201,
      outcome: "done",
    });
    expect(JSON.stringify(entry)).not.toMatch(/in-the-|ci_/);
  });

  test("about a deleted record names its namespace", async () => {
    const [eve, name] = [await ci.signUp(), aWord("ns")];
    const { url } = created(await eve.post("/variables", { namespace: name, key: "KEY", value: "v" }));
    const build = created(await eve.post("/builds", { manifest: aManifest({ namespace: name }), tags: ["t"] }));
    await eve.delete(`${build.url}/tags/t`);
    await eve.delete(build.url);
    await eve.delete(url);
    const found = await entries(5, { namespace: `${name}@${eve.username.toUpperCase()}` });
    expect(found.map(({ action }: { action: string }) => action)).toEqual([
      ...["deleteVariable", "killBuild", "untagBuild", "submitBuild", "createVariable"],
    ]);
  });

  test("of a matrix exists once and names the first build; a refused submission has one too", async () => {
    const eve = await ci.signUp();
    const manifest = aManifest({ matrix: { N: [1, 2, 3] } });
    const { url } = created(await eve.post("/builds", { manifest }));
    expect((await eve.post("/builds", { manifest: "no: manifest" })).status).toBe(400);
    const found = await entries(2, { user: eve.username });
    const summaries = found.map((entry: Record<string, unknown>) => [entry.action, entry.status, entry.record_url]);
    expect(new Set(summaries)).toEqual(
      new Set([
        ["submitBuild", 400, null],
        ["submitBuild", 201, url],
      ]),
    );
  });

  test("of a run of a cron job exists once and names its build", async () => {
    const eve = await ci.signUp();
    const cron = created(await eve.post("/cron", { name: "nightly", manifest: aManifest() }));
    const { url } = created(await eve.post(`${cron.url}/run`, {}));
    const found = await entries(2, { user: eve.username });
    expect(found[0]).toMatchObject({ action: "runCron", kind: "build", status: 201, outcome: "done", record_url: url });
  });

  test("is made for refusals too, with their status", async () => {
    const eve = await ci.signUp(undefined, "variable:write");
    await eve.post("/variables", { key: "1" });
    const [{ token_id }] = await entries(1, { user: eve.username });
    await eve.delete("/variables/1");
    await eve.send("POST", "/variables", { body: "{", headers: { "Content-Type": "application/json" } });
    await eve.post("/keys", {});
    const found = await entries(4, { user: eve.username });
    const summaries = found.map((entry: Record<string, unknown>) => [
      entry.action,
      entry.status,
      entry.outcome,
      entry.token_id,
    ]);
    expect(summaries).toEqual([
      ["createKey", 403, "refused", token_id],
      ["createVariable", 400, "refused", token_id],
      ["deleteVariable", 403, "refused", token_id],
      ["createVariable", 400, "refused", token_id],
    ]);
  });

  test("of an invalid token has no user; requests without a token have no entry, so strangers cannot fill the log", async () => {
    const stranger = ci.as("ci_not-a-token");
    const path = `/variables/${Date.now()}`;
    expect((await ci.as().delete(path)).status).toBe(401);
    for (let nth = 0; nth < 150; nth++) expect((await stranger.delete(path)).status).toBe(401);
    const { json } = await list({ action: "deleteVariable", outcome: "refused" });
    expect(json[0]).toMatchObject({ status: 401, user_id: null, username: null, token_id: null, path: path });
    expect(JSON.stringify(json[0])).not.toContain("not-a-token");
    let count = 0;
    for (let page = 1; page <= 8; page++)
      for (const entry of (await list({ action: "deleteVariable", page })).json) if (entry.path === path) count++;
    expect(count).toBeGreaterThan(0);
    // A minute may have ended meanwhile.
    expect(count).toBeLessThanOrEqual(120);
  });

  test("outlives its user, whose name still finds it", async () => {
    const user = created(await ci.admin.post("/users", aUser()));
    const { secret } = created(
      await ci.admin.post(`/users/${user.username}/tokens`, { name: "t", scope: "key:write" }),
    );
    await ci.as(secret).post("/keys", {});
    expect((await ci.admin.delete(`/users/${user.username}`)).status).toBe(204);
    expect(await entries(1, { user: user.username })).toMatchObject([{ user_id: user.id, username: user.username }]);
  });
});

describe("the client's address", () => {
  test.each([
    ["203.0.113.9", "203.0.113.9"],
    ["198.51.100.1, 203.0.113.9, 10.1.2.3", "203.0.113.9"],
    ["203.0.113.9, ::ffff:10.1.2.3", "203.0.113.9"],
    ["2001:db8::7", "2001:db8::7"],
    ["not an address", "127.0.0.1"],
    ["203.0.113.9, <script>", "127.0.0.1"],
    ["10.1.2.3", "10.1.2.3"],
  ])("is the last one in X-Forwarded-For that is not a trusted proxy: %s", async (forwarded, address) => {
    const { headers } = await bob.send("DELETE", "/keys/1", { headers: { "X-Forwarded-For": forwarded } });
    await eventually(async () => {
      const { json } = await list({ user: bob.username });
      expect(json[0]).toMatchObject({ request_id: headers["x-request-id"], address });
    });
  });
});

describe("the list", () => {
  test("is for administrators only", async () => {
    expect(await ann.get("/audit")).toMatchObject({
      status: 403,
      json: { message: "Token lacks permission user:read" },
    });
    expect((await ci.as().get("/audit")).status).toBe(401);
    expect((await ci.admin.post("/audit")).status).toBe(405);
    expect((await ci.admin.delete("/audit")).status).toBe(405);
  });

  test("has pages of 25, newest first", async () => {
    const eve = await ci.signUp();
    for (let nth = 1; nth <= 27; nth++) await eve.delete(`/keys/${nth}`);
    const first = await eventually(async () => {
      const response = await list({ user: eve.username });
      expect(response.json[0]).toMatchObject({ path: "/keys/27", status: 404 });
      return response;
    });
    const paths = (json: { path: string }[]) => json.map(({ path }) => Number(path.split("/").at(-1)));
    expect(paths(first.json)).toEqual(Array.from({ length: 25 }, (_, nth) => 27 - nth));
    expect(first.headers.link).toBe(`<${ci.url}/audit?user=${eve.username}&page=2>; rel="next"`);
    expect(paths((await list({ user: eve.username, page: 2 })).json)).toEqual([2, 1]);
  });

  test("is filtered by token, kind, outcome and time, and by all at once", async () => {
    const eve = await ci.signUp();
    const { id, secret } = created(await eve.post("/tokens", { name: "second", scope: "variable:write image:write" }));
    const second = ci.as(secret);
    created(await second.post("/variables", { key: "KEY", value: "v" }));
    await second.post("/variables", { key: "KEY", value: "v" });
    await second.post("/images", { name: "a b" });
    const [image, refused, done] = await entries(3, { token: id });
    expect([image.kind, refused.status, done.status]).toEqual(["image", 400, 201]);
    expect(await entries(2, { token: id, kind: "variable" })).toEqual([refused, done]);
    expect(await entries(1, { user: eve.username, outcome: "done", token: id })).toEqual([done]);
    const all = { user: eve.username, token: id, action: "createVariable", kind: "variable", outcome: "refused" };
    const between = { from: refused.created_at, to: image.created_at };
    expect((await list({ ...all, ...between })).json).toEqual(refused.created_at < image.created_at ? [refused] : []);
    expect((await list({ token: id, from: new Date(Date.parse(image.created_at) + 1).toISOString() })).json).toEqual(
      [],
    );
    expect((await list({ token: id, to: done.created_at })).json).toEqual([]);
  });

  test("refuses filters that cannot match", async () => {
    expect(await list({ kind: "cat", outcome: "fine", token: "x", from: "soon" })).toMatchObject({
      status: 400,
      json: {
        kind: ["Kind invalid kind cat"],
        outcome: ["Outcome invalid outcome fine"],
        token: ["Token must be an id"],
        from: ["From must be an RFC3339 timestamp"],
      },
    });
    expect((await list({ user: "nobody-of-this-name" })).json).toEqual([]);
  });
});
