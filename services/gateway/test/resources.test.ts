import { generateKeyPairSync } from "node:crypto";
import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";

const ci = constellation();
const time = expect.stringMatching(/Z$/);
const { privateKey } = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "sec1", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});
const userOf = ({ id, email, username }: SignedUp) => ({ id, email, username, created_at: time });

const short = "Value cannot be shorter than 6 characters in length";

describe("variables", () => {
  test("are created, listed, returned and deleted", async () => {
    const key = aWord("V_");
    const record = created(await ann.post("/variables", { key, value: "plain" }));
    expect(record).toEqual({
      id: expect.any(Number),
      author_id: ann.id,
      user_id: ann.id,
      namespace_id: null,
      key,
      value: "plain",
      masked: false,
      created_at: time,
      url: `${ci.url}/variables/${record.id}`,
      author: userOf(ann),
      user: userOf(ann),
      namespace: null,
    });
    expect((await ann.get(record.url)).json).toEqual(record);
    expect((await ann.get(`/variables?search=${key.toLowerCase()}`)).json).toEqual([record]);
    expect((await ann.patch(record.url, { value: "x" })).json).toEqual({ ...record, value: "x" });
    expect(await ann.delete(record.url)).toMatchObject({ status: 204, text: "" });
    expect((await ann.get(record.url)).status).toBe(404);
  });

  test("never reveal a masked value, and belong to their namespace", async () => {
    const namespace = aWord("ns");
    const record = created(
      await ann.post("/variables", { namespace, key: "SECRET", value: "not to be seen", mask: true }),
    );
    expect(record).toMatchObject({ value: "xxxxxx", masked: true, namespace: { path: namespace } });
    const path = `/n/${ann.username}/${namespace}`;
    expect((await ann.get(`${path}/-/variables`)).json).toEqual([record]);
    const build = created(await ann.post("/builds", aBuild({ namespace, env: ["PLAIN=here"] })));
    const { json } = await ann.get(build.variables_url);
    const { manifest, queue, output, tests, ...copy } = build;
    expect(json).toMatchObject([
      { build_id: build.id, key: "PLAIN", value: "here", masked: false, variable_url: null },
      { build_id: build.id, key: "SECRET", value: "xxxxxx", masked: true, variable_url: record.url, build: copy },
    ]);
    const bob = await ci.signUp();
    expect((await bob.get(record.url)).status).toBe(404);
    expect((await bob.delete(record.url)).status).toBe(404);
  });

  const form = "application/x-www-form-urlencoded";
  test.each([
    [{ masked: true }, true],
    [{ mask: true, masked: true }, true],
    [{ mask: null, masked: true }, true],
    [{ mask: true, masked: null }, true],
    [{ mask: false, masked: false }, false],
    [{ masked: false }, false],
    ["masked=on", true],
    ["mask=1", true],
    ["mask=true&masked=1", true],
    ["masked=0", false],
  ])("with %j are masked: %p", async (fields, masked) => {
    const key = aWord("V_");
    const isForm = typeof fields === "string";
    const body = isForm
      ? `key=${key}&value=not+shown&${fields}`
      : JSON.stringify({ key, value: "not shown", ...fields });
    const headers = { "content-type": isForm ? form : "application/json" };
    const record = created(await ann.send("POST", "/variables", { body, headers }));
    expect(record).toMatchObject({ key, masked, value: masked ? "xxxxxx" : "not shown" });
    expect((await ann.get(record.url)).json).toEqual(record);
  });

  test.each([true, false])(
    "with mask %p and the opposite masked are rejected, and create no namespace",
    async (mask) => {
      const body = { namespace: aWord("ns"), key: "A", value: "short", mask, masked: !mask };
      const { status, json } = await ann.post("/variables", body);
      expect([status, json]).toEqual([
        400,
        {
          mask: ["Mask differs from masked"],
          masked: ["Masked differs from mask"],
          value: ["Value cannot be shorter than 6 characters in length"],
        },
      ]);
      expect((await ann.get(`/n/${ann.username}/${body.namespace}`)).status).toBe(404);
    },
  );

  test("have both field names in the OpenAPI document", async () => {
    const { json } = await ci.as().get("/openapi.json");
    const { properties } = json.paths["/variables"].post.requestBody.content["application/json"].schema;
    const masked = { type: "boolean", description: "The same as `mask`" };
    expect(properties).toMatchObject({ mask: { type: "boolean" }, masked });
  });

  test.each([
    [{}, { key: ["Key field required"], value: ["Value field required"] }],
    [
      { key: "A", value: "x", mask: true, masked: "yes" },
      { masked: ["Masked must be a boolean"], value: [short] },
    ],
    [
      { key: "1A", value: "short", mask: true },
      {
        key: ["Key does not match ^[A-Za-z_][A-Za-z0-9_]*$"],
        value: ["Value cannot be shorter than 6 characters in length"],
      },
    ],
    [{ key: "A", value: 5 }, { value: ["Value must be a string"] }],
    [{ key: "A", value: "x", mask: "maybe" }, { mask: ["Mask must be a boolean"] }],
    [{ key: "A", value: "x", namespace: "abc@admin" }, { namespace: ["Namespace permission denied"] }],
  ])("rejects %j", async (body, fields) => {
    const { status, json } = await ann.post("/variables", body);
    expect({ status, json }).toEqual({ status: 400, json: fields });
  });
});

describe("keys", () => {
  test("are created, listed, returned and deleted", async () => {
    const record = created(await ann.post("/keys", { name: "deploy key", key: privateKey, config: "User git" }));
    expect(record).toEqual({
      id: expect.any(Number),
      author_id: ann.id,
      user_id: ann.id,
      namespace_id: null,
      name: "deploy_key",
      config: "User git",
      created_at: time,
      updated_at: record.created_at,
      url: `${ci.url}/keys/${record.id}`,
      author: userOf(ann),
      user: userOf(ann),
      namespace: null,
    });
    expect((await ann.get("/keys")).json).toEqual([record]);
    const changed = await ann.patch(record.url, { config: "", name: "other" });
    expect(changed).toMatchObject({ status: 200, json: { ...record, config: "", updated_at: time } });
    expect((await ann.get(record.url)).json).toEqual(changed.json);
    const build = created(await ann.post("/builds", aBuild()));
    expect((await ann.get(build.keys_url)).json).toMatchObject([
      { build_id: build.id, key_id: record.id, name: "deploy_key", config: "", location: "/root/.ssh/deploy_key" },
    ]);
    expect((await ann.delete(record.url)).status).toBe(204);
    expect((await ann.patch(record.url, {})).status).toBe(404);
  });

  test("of a namespace are visible only to its members", async () => {
    const namespace = aWord("ns");
    created(await ann.post("/namespaces", { name: namespace, visibility: "internal" }));
    const record = created(await ann.post("/keys", { namespace, name: "k", key: privateKey }));
    const bob = await ci.signUp();
    expect((await bob.get(record.url)).json).toEqual(record);
    expect((await bob.patch(record.url, { config: 5 })).status).toBe(404);
    expect((await bob.delete(record.url)).status).toBe(404);
    expect(await ann.patch(record.url, { config: 5 })).toMatchObject({
      status: 400,
      json: { config: ["Config must be a string"] },
    });
    expect((await bob.get(`/n/${ann.username}/${namespace}/-/keys`)).json).toEqual([record]);
    expect((await bob.get("/keys")).json).toEqual([]);
  });

  test.each([
    [{}, { name: ["Name field required"], key: ["Key field required"] }],
    [
      { name: "config", key: "text" },
      { name: ["Name is reserved"], key: ["Key ssh: no key found"] },
    ],
  ])("rejects %j", async (body, fields) => {
    const { status, json } = await ann.post("/keys", body);
    expect({ status, json }).toEqual({ status: 400, json: fields });
  });
});
