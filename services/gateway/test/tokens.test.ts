import { aBuild, aUser, aWord } from "@ci/testkit/builders";
import { constellation, created, everything } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const ci = constellation();

describe("succeeds", () => {
  test("returns the token's user with the field admin", async () => {
    const ann = await ci.signUp();
    const { status, json } = await ann.get("/user");
    expect(status).toBe(200);
    expect(json).toEqual({
      id: ann.id,
      email: ann.email,
      username: ann.username,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      admin: false,
    });
    expect((await ci.admin.get("/user")).json).toMatchObject({ username: "admin", admin: true });
  });

  test("returns a new token, with its secret only once", async () => {
    const ann = await ci.signUp();
    const { status, json } = await ann.post("/tokens", { name: "laptop", scope: "build:write,read image:read" });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: json.id,
      user_id: ann.id,
      name: "laptop",
      scope: "build:read,write image:read",
      created_at: expect.any(String),
      expires_at: null,
      last_used_at: null,
      url: `${ci.url}/tokens/${json.id}`,
      user: { id: ann.id, email: ann.email, username: ann.username, created_at: expect.any(String) },
      secret: expect.stringMatching(/^ci_[A-Za-z0-9_-]{43}$/),
    });
    const { secret, ...record } = json;
    expect((await ann.get("/tokens")).json).toContainEqual({ ...record, last_used_at: null });
    expect((await ci.as(secret).get("/user")).json.id).toBe(ann.id);
  });

  test("creates a token for another user", async () => {
    const { username, id } = created(await ci.admin.post("/users", aUser()));
    const { secret, user_id } = created(
      await ci.admin.post(`/users/${username.toUpperCase()}/tokens`, { name: "t", scope: "build:read" }),
    );
    expect(user_id).toBe(id);
    expect((await ci.as(secret).get("/user")).json.username).toBe(username);
  });

  test("returns an expiry in UTC", async () => {
    const ann = await ci.signUp();
    const { json } = await ann.post("/tokens", {
      name: "t",
      scope: "build:read",
      expires_at: "2099-01-01T02:00:00+02:00",
    });
    expect(json.expires_at).toBe("2099-01-01T00:00:00.000Z");
  });

  test("lists users by username for administrators with the permission", async () => {
    const word = aWord();
    const names = ["b", "a"].map((end) => `${word}${end}`);
    for (const username of names) created(await ci.admin.post("/users", aUser({ username })));
    const { json } = await ci.admin.get(`/users?search=${word.toUpperCase()}`);
    expect(json.map(({ username }: { username: string }) => username)).toEqual([`${word}a`, `${word}b`]);
    expect(json[0]).toMatchObject({ admin: false });
    const ann = await ci.signUp();
    expect(await ann.get("/users")).toMatchObject({
      status: 403,
      json: { message: "Token lacks permission user:read" },
    });
  });
});

describe("the tokens of all users", () => {
  const all = "/users/-/tokens";
  const idsAt = async (query: string) =>
    (await ci.admin.get(`${all}?${query}`)).json.map(({ id }: { id: number }) => id);

  test("are listed for administrators, newest first and without secrets, and found by user and name", async () => {
    const [ann, bob] = [await ci.signUp(), await ci.signUp()];
    const name = aWord();
    const { secret: _, ...anns } = created(await ann.post("/tokens", { name: `${name}.1`, scope: "build:read" }));
    const { secret: __, ...bobs } = created(await bob.post("/tokens", { name: `${name}.2`, scope: "build:read" }));
    expect(await ci.admin.get(`${all}?search=${name.toUpperCase()}`)).toMatchObject({
      status: 200,
      json: [bobs, anns],
    });
    expect((await ci.admin.get(`${all}?search=${name}`)).json[0]).not.toHaveProperty("secret");
    expect(await idsAt(`search=${name}&user=${ann.username}`)).toEqual([anns.id]);
    expect((await idsAt(`user=${bob.username}`))[0]).toBe(bobs.id);
    expect(await idsAt("user=nobody")).toEqual([]);
  });

  test("are hidden from everyone else", async () => {
    const ann = await ci.signUp();
    const refusal = { status: 403, json: { message: "Token lacks permission user:read" } };
    expect(await ann.get(`${all}?user=${ann.username}`)).toMatchObject(refusal);
    expect((await ci.as().get(all)).status).toBe(401);
    expect((await ci.admin.post(all, { name: "t", scope: "build:read" })).status).toBe(405);
  });

  test("are revoked by administrators, which the audit log says", async () => {
    const ann = await ci.signUp();
    const { id, secret } = created(await ann.post("/tokens", { name: "lost", scope: "build:read" }));
    expect((await ci.admin.delete(`/tokens/${id}`)).status).toBe(204);
    expect((await ci.as(secret).get("/user")).status).toBe(401);
    expect(await idsAt(`user=${ann.username}&search=lost`)).toEqual([]);
    await eventually(async () => {
      const { json } = await ci.admin.get("/audit?action=deleteToken&user=admin");
      expect(json).toContainEqual(expect.objectContaining({ path: `/tokens/${id}`, kind: "token", outcome: "done" }));
    });
  });
});

describe("a deletion", () => {
  test("of a token takes effect at the next request", async () => {
    const ann = await ci.signUp();
    const { id, secret } = created(await ann.post("/tokens", { name: "short", scope: "build:read" }));
    const shortLived = ci.as(secret);
    expect((await shortLived.get("/user")).status).toBe(200);
    expect(await ann.delete(`/tokens/${id}`)).toMatchObject({ status: 204, text: "" });
    const { status, json, headers } = await shortLived.get("/user");
    expect({ status, json }).toEqual({ status: 401, json: { message: "Unauthorized" } });
    expect(headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
  });

  test("ends the streams of outputs that a deleted token has opened", async () => {
    const ann = await ci.signUp();
    const { output_url } = created(await ann.post("/builds", aBuild()));
    const { id, secret } = created(await ann.post("/tokens", { name: aWord(), scope: "build:read" }));
    const stream = await ci.as(secret).open("GET", output_url, { headers: { Accept: "text/event-stream" } });
    expect(stream.statusCode).toBe(200);
    const closed = new Promise((resolve) => stream.on("error", () => undefined).on("close", resolve));
    stream.resume();
    expect((await ann.delete(`/tokens/${id}`)).status).toBe(204);
    await closed;
  });

  test("of a user takes effect at the next request", async () => {
    const ann = await ci.signUp();
    expect((await ann.get("/user")).status).toBe(200);
    expect((await ci.admin.delete(`/users/${ann.username}`)).status).toBe(204);
    expect((await ann.get("/user")).status).toBe(401);
    expect((await ci.admin.delete(`/users/${ann.username}`)).status).toBe(404);
  });
});

describe("invalid", () => {
  test.each([
    [{}, { name: ["Name field required"], scope: ["Scope field required"] }],
    [
      { name: null, scope: "" },
      { name: ["Name field required"], scope: ["Scope field required"] },
    ],
    [{ name: "t", scope: "builds:read" }, { scope: ["Scope invalid resource builds"] }],
    [{ name: "t", scope: "user:read" }, { scope: ["Scope cannot grant user:read"] }],
    [
      { name: "t", scope: "build:read", expires_at: "2001-01-01T00:00:00Z" },
      { expires_at: ["Expires_at must be in the future"] },
    ],
    [
      { name: 5, scope: "build:read", expires_at: "soon" },
      {
        name: ["Name must be a string"],
        expires_at: ["Expires_at must be an RFC3339 timestamp"],
      },
    ],
  ])("rejects the token %j", async (body, fields) => {
    const ann = await ci.signUp(undefined, everything);
    expect(await ann.post("/tokens", body)).toMatchObject({ status: 400, json: fields });
  });

  test.each([
    [{}, { username: ["Username field required"], email: ["Email field required"] }],
    [
      { username: "admin", email: "admin@localhost" },
      { username: ["Username already exists"], email: ["Email already exists"] },
    ],
    [{ ...aUser(), admin: "yes" }, { admin: ["Admin must be a boolean"] }],
  ])("rejects the user %j", async (body, fields) => {
    expect(await ci.admin.post("/users", body)).toMatchObject({ status: 400, json: fields });
  });

  test("rejects the deletion of one's own user", async () => {
    const { status, json } = await ci.admin.delete("/users/admin");
    expect({ status, json }).toEqual({ status: 400, json: { username: ["Username cannot delete yourself"] } });
  });
});

describe("not_found", () => {
  test("reports an unknown user before complaints about the body", async () => {
    const malformed = { body: "{", headers: { "content-type": "application/json" } };
    expect((await ci.admin.send("POST", "/users/nobody/tokens", malformed)).status).toBe(404);
    expect((await ci.admin.post("/users/nobody/tokens", { name: 5 })).status).toBe(404);
  });

  test("hides another user's token", async () => {
    const [ann, bob] = [await ci.signUp(), await ci.signUp()];
    const { id } = created(await ann.post("/tokens", { name: "t", scope: "build:read" }));
    expect((await bob.delete(`/tokens/${id}`)).status).toBe(404);
    expect((await bob.delete("/tokens/0")).status).toBe(404);
  });
});
