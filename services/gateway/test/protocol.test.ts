import { Readable } from "node:stream";
import { aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";

const ci = constellation();
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

describe("addresses", () => {
  test("the root names every collection below the public URL", async () => {
    const { status, json, headers } = await ci.as().get("/", { host: "evil.test" });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(Object.keys(json)).toEqual([
      "builds_url",
      "namespaces_url",
      "cron_url",
      "invites_url",
      "images_url",
      "objects_url",
      "variables_url",
      "keys_url",
      "user_url",
      "tokens_url",
    ]);
    expect(json.tokens_url).toBe(`${ci.url}/tokens`);
    expect((await ci.as().get("")).json).toEqual(json);
  });

  test("version and health need no token", async () => {
    expect(await ci.as().get("/version")).toMatchObject({ status: 200, json: { build: expect.any(String) } });
    expect(await ci.as().get("/health")).toMatchObject({ status: 200, json: { status: "ok" } });
  });

  test.each(["/nothing", "/builds/", "/builds//", "/%zz", "/b/x/1%", "/b/x/-1", "/b/x/1.0", "/b/x/9007199254740992"])(
    "GET %s returns 404, except for one trailing slash",
    async (path) => {
      expect((await ann.get(path)).status).toBe(path === "/builds/" ? 200 : 404);
    },
  );

  test("nothing is served outside the path of the public URL", async () => {
    for (const path of ["/version", "/apiversion", "/ap", "/api//version"]) {
      const answer = await fetch(`${ci.origin}${path}`);
      expect([path, answer.status, await answer.json()]).toEqual([path, 404, { message: "Not Found" }]);
    }
  });

  test("segments are decoded once", async () => {
    const name = aWord("ns");
    created(await ann.post("/namespaces", { name }));
    const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    expect((await ann.get(`/n/${ann.username}/${encoded}`)).json.name).toBe(name);
    expect((await ann.get(`/n/${ann.username}/${encoded.replace("%", "%25")}`)).status).toBe(404);
    expect((await ann.get(`/n/${ann.username.toUpperCase()}/${name}/`)).status).toBe(200);
    expect((await ann.get(`/n/${ann.username}/${name.toUpperCase()}`)).status).toBe(404);
  });

  test("HEAD returns the headers of GET without the body", async () => {
    const response = await ann.get("/user");
    const head = await ann.send("HEAD", "/user");
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers["content-length"]).toBe(response.headers["content-length"]);
  });
});

describe("request ids", () => {
  test.each(["a", "A-z_09", "x".repeat(64)])("%s is kept", async (id) => {
    expect((await ci.as().get("/nothing", { "x-request-id": id })).headers["x-request-id"]).toBe(id);
  });

  test.each(["", "a b", "ü", "x".repeat(65), "a,b"])("%j is replaced", async (id) => {
    expect((await ann.get("/user", { "x-request-id": encodeURI(id) })).headers["x-request-id"]).toMatch(uuid);
  });
});

describe("the order of checks", () => {
  const bad = { body: "{", headers: { "content-type": "application/json" } };

  test("is path, method, token, scope, target, syntax, fields", async () => {
    const reader = await ci.signUp(undefined, "build:read");
    const name = aWord("ns");
    created(await ann.post("/namespaces", { name }));
    const path = `/n/${ann.username}/${name}`;
    const nobody = ci.as();
    expect((await nobody.send("PUT", "/nothing", bad)).status).toBe(404);
    const method = await nobody.send("PUT", path, bad);
    expect(method).toMatchObject({ status: 405, json: { message: "Method Not Allowed" } });
    expect(method.headers.allow).toBe("GET, HEAD, PATCH, DELETE");
    const token = await nobody.send("PATCH", path, bad);
    expect(token).toMatchObject({ status: 401, json: { message: "Unauthorized" } });
    expect(token.headers["www-authenticate"]).toBe("Bearer");
    const scope = await reader.send("PATCH", `${path}x`, bad);
    expect(scope).toMatchObject({ status: 403, json: { message: "Token lacks permission namespace:write" } });
    expect((await ann.send("PATCH", `${path}x`, bad)).status).toBe(404);
    const bob = await ci.signUp();
    expect((await bob.send("PATCH", path, bad)).status).toBe(404);
    expect(await ann.send("PATCH", path, bad)).toMatchObject({ status: 400, json: { message: "Malformed JSON" } });
    expect((await bob.patch(path, { description: 5 })).status).toBe(404);
    expect(await ann.patch(path, { description: 5 })).toMatchObject({
      status: 400,
      json: { description: ["Description must be a string"] },
    });
  });

  test("gives 404 also to a user who may view but not change", async () => {
    const name = aWord("ns");
    created(await ann.post("/namespaces", { name, visibility: "public" }));
    const bob = await ci.signUp();
    const path = `/n/${ann.username}/${name}`;
    expect((await bob.get(path)).status).toBe(200);
    for (const target of [path, `${path}/-/webhooks`, `${path}/-/invites`]) {
      const method = target === path ? "PATCH" : "POST";
      expect([target, (await bob.send(method, target, bad)).status]).toEqual([target, 404]);
    }
  });

  test.each([
    ["no scheme", "abc", "Bearer"],
    ["another scheme", "Basic YTpi", "Bearer"],
    ["no token", "Bearer ", "Bearer"],
    ["an unknown token", "bearer ci_unknown", 'Bearer error="invalid_token"'],
  ])("returns 401 for %s", async (_, authorization, challenge) => {
    const { status, headers } = await ci.as().get("/user", { authorization });
    expect([status, headers["www-authenticate"]]).toEqual([401, challenge]);
  });

  test("accepts the scheme in any case", async () => {
    expect((await ci.as().get("/user", { authorization: `BEARER ${ann.token}` })).status).toBe(200);
  });

  test("gives 405 for OPTIONS without configured origins", async () => {
    const { status, headers } = await ci.as().send("OPTIONS", "/builds", { headers: { origin: "http://a.test" } });
    expect([status, headers.allow]).toEqual([405, "GET, HEAD, POST"]);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("bodies", () => {
  const create = (body: string | Buffer | Readable, type?: string) =>
    ann.send("POST", "/namespaces", { body, headers: type ? { "content-type": type } : {} });
  const required = { status: 400, json: { name: ["Name field required"] } };

  test.each([
    "application/json",
    "APPLICATION/JSON; charset=klingon",
    "application/json;;",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "text/plain",
    undefined,
  ])("have no fields if empty, with type %s", async (type) => {
    expect(await create("", type)).toMatchObject(required);
    expect(await create(Readable.from([]), type)).toMatchObject(required);
  });

  test.each(["APPLICATION/JSON; charset=klingon", "application/json"])(
    "are read as JSON with type %s",
    async (type) => {
      const name = aWord("ns");
      const body = JSON.stringify({ name, description: null, visibility: "internal", other: {} });
      expect(await create(body, type)).toMatchObject({
        status: 201,
        json: { name, description: "", visibility: "internal" },
      });
    },
  );

  test("are read as a urlencoded form", async () => {
    const name = aWord("ns");
    expect(await create(`name=${name}&description=a+%26%20b`, "application/x-www-form-urlencoded")).toMatchObject({
      status: 201,
      json: { name, description: "a & b" },
    });
    const { id, username } = created(
      await ci.admin.send("POST", "/users", {
        body: `username=${aWord()}&email=${aWord()}%40x&admin=on`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }),
    );
    expect(id).toBeGreaterThan(0);
    expect((await ci.admin.get(`/users?search=${username}`)).json[0].admin).toBe(true);
  });

  test("make a list of a repeated name", async () => {
    expect(await create("name=a&name=b", "application/x-www-form-urlencoded")).toMatchObject({
      status: 400,
      json: { name: ["Name must be a string"] },
    });
  });

  test("are read as a multipart form", async () => {
    const name = aWord("ns");
    const body = [
      "--b",
      'Content-Disposition: form-data; name="description"',
      "",
      "two\r\nlines",
      "--b",
      'Content-Disposition: form-data; name="other"; filename="f"',
      "",
      "ignored",
      "--b",
      'Content-Disposition: form-data; name="name"',
      "",
      name,
      "--b--",
      "",
    ].join("\r\n");
    expect(await create(body, "multipart/form-data; boundary=b")).toMatchObject({
      status: 201,
      json: { name, description: "two\r\nlines" },
    });
    expect(await create(body.slice(0, -20), "multipart/form-data; boundary=b")).toMatchObject({
      status: 400,
      json: { message: "Malformed form; check its boundaries, names and charsets, and that it is complete" },
    });
  });

  test("ignore a form field without a name, and reject one in an unknown charset", async () => {
    const formWith = (name: string) =>
      [
        "--b",
        "Content-Disposition: form-data",
        "",
        "nobody",
        "--b",
        'Content-Disposition: form-data; name="description"',
        "Content-Type: text/plain; charset=CHARSET",
        "",
        "what",
        "--b",
        'Content-Disposition: form-data; name="name"',
        "",
        name,
        "--b--",
        "",
      ].join("\r\n");
    const [name, unknownCharset] = [aWord("ns"), aWord("ns")];
    const type = "multipart/form-data; boundary=b";
    expect(await create(formWith(name).replace("CHARSET", "utf-8"), type)).toMatchObject({
      status: 201,
      json: { name },
    });
    expect(await create(formWith(unknownCharset).replace("CHARSET", "unheard-of"), type)).toMatchObject({
      status: 400,
      json: { message: "Malformed form; check its boundaries, names and charsets, and that it is complete" },
    });
  });

  test("are ignored with any other type", async () => {
    expect(await create(JSON.stringify({ name: "abc" }), "text/plain")).toMatchObject(required);
    expect(await create(JSON.stringify({ name: "abc" }))).toMatchObject(required);
  });

  test.each([
    ['{"name":', "Malformed JSON"],
    [Buffer.from('{"name":"\xff"}', "latin1"), "Malformed JSON"],
    ["[]", "Request body must be a JSON object"],
    ["null", "Request body must be a JSON object"],
    ['"name"', "Request body must be a JSON object"],
  ])("are rejected: %s", async (body, message) => {
    expect(await create(body, "application/json")).toMatchObject({ status: 400, json: { message } });
  });

  const limitBytes = 2 * 1024 * 1024;
  const padded = (sizeBytes: number) => `{"name":""${" ".repeat(sizeBytes - 11)}}`;

  test.each(["application/json", "application/x-www-form-urlencoded"])(
    "accept 2 MiB of %s and no more",
    async (type) => {
      expect((await create(padded(limitBytes), type)).status).toBe(400);
      const refused = { status: 413, json: { message: "Request body too large" } };
      expect(await create(padded(limitBytes + 1), type)).toMatchObject(refused);
      const chunks = () => Readable.from([Buffer.alloc(limitBytes, " "), Buffer.from(" ")]);
      expect(await create(chunks(), type)).toMatchObject(refused);
    },
  );

  test("that are too large are rejected while the client is still sending", async () => {
    const body = Readable.from(
      (function* () {
        for (let i = 0; i < 40; i++) yield Buffer.alloc(1024 * 1024);
      })(),
    );
    const { status, headers } = await create(body, "application/json");
    expect([status, headers.connection]).toEqual([413, "close"]);
  });
});
