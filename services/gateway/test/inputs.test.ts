import { createHash, generateKeyPairSync } from "node:crypto";
import { aBuild, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";

// A build copies its objects, variables and keys when it is submitted.

const ci = constellation();
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

const hash = (algorithm: string) => createHash(algorithm).update("content").digest("hex");

/** Returns a build as other records embed it. Its queue place depends on the other tests. */
function copyOf({ manifest, queue, tests, ...build }: Record<string, unknown>) {
  return { ...build, queue: expect.objectContaining({ position: expect.any(Number) }) };
}

test("a build's objects are listed in the manifest's order, found or not", async () => {
  const name = aWord();
  const object = created(await ann.send("POST", `/objects?name=${name}`, { body: "content" }));
  const build = created(await ann.post("/builds", aBuild({ objects: ["none => z", `${name} => in/file`] })));
  const missing = {
    id: expect.any(Number),
    build_id: build.id,
    source: "none",
    name: "z",
    type: null,
    md5: null,
    sha256: null,
    placed: false,
    object_url: null,
    build: copyOf(build),
  };
  const found = {
    ...missing,
    source: name,
    name: "in/file",
    type: "text/plain; charset=utf-8",
    md5: hash("md5"),
    sha256: hash("sha256"),
  };
  expect((await ann.get(build.objects_url)).json).toEqual([missing, { ...found, object_url: object.url }]);
  expect((await ann.get(`${build.objects_url}?search=FILE`)).json).toEqual([{ ...found, object_url: object.url }]);
  await ann.delete(object.url);
  expect((await ann.get(build.objects_url)).json).toEqual([missing, found]);
});

test("a request for a build gives it variables, and so does a restart", async () => {
  const manifest = aBuild({ env: ["ENV=manifest"] });
  const build = created(await ann.post("/builds", { ...manifest, variables: { ENV: "given", NODE: "22" } }));
  const valuesOf = async (url: string) =>
    (await ann.get(`${url}/variables`)).json.map(({ key, value }: Record<string, string>) => [key, value]);
  expect(await valuesOf(build.url)).toEqual([
    ["ENV", "given"],
    ["NODE", "22"],
  ]);
  await ann.delete(build.url);
  const again = created(await ann.post(`${build.url}/restart`, { variables: { NODE: "24" } }));
  expect(await valuesOf(again.url)).toEqual([
    ["ENV", "given"],
    ["NODE", "24"],
  ]);
  const wrong = await ann.post("/builds", { ...manifest, variables: { "A-B": "" } });
  expect([wrong.status, wrong.json]).toEqual([
    400,
    { variables: ["Variables key A-B does not match ^[A-Za-z_][A-Za-z0-9_]*$"] },
  ]);
});

test("a build gets the variables as last confirmed, even right after a build with others", async () => {
  const user = await ci.signUp();
  const valuesOfNew = async () => {
    const { variables_url } = created(await user.post("/builds", aBuild()));
    return (await user.get(variables_url)).json.map(({ key, value }: Record<string, string>) => `${key}=${value}`);
  };
  for (let round = 0; round < 5; round++) {
    expect(await valuesOfNew()).toEqual([]);
    const { url } = created(await user.post("/variables", { key: "A", value: "1" }));
    expect(await valuesOfNew()).toEqual(["A=1"]);
    expect((await user.patch(url, { value: "2" })).status).toBe(200);
    expect(await valuesOfNew()).toEqual(["A=2"]);
    expect((await user.delete(url)).status).toBe(204);
  }
  expect(await valuesOfNew()).toEqual([]);
});

test("a build's variables are listed by key, masked ones without their values", async () => {
  const masked = created(await ann.post("/variables", { key: "MASKED", value: "very secret", mask: true }));
  const build = created(await ann.post("/builds", aBuild({ env: ["ENV=a=b"] })));
  const env = {
    id: expect.any(Number),
    build_id: build.id,
    key: "ENV",
    value: "a=b",
    masked: false,
    variable_url: null,
    build: copyOf(build),
  };
  const secret = { ...env, key: "MASKED", value: "xxxxxx", masked: true };
  expect((await ann.get(build.variables_url)).json).toEqual([env, { ...secret, variable_url: masked.url }]);
  expect((await ann.get(`${build.variables_url}?search=env`)).json).toEqual([env]);
  await ann.delete(masked.url);
  expect((await ann.get(build.variables_url)).json).toEqual([env, secret]);
});

test("a build's keys are listed by name, without their private halves", async () => {
  const privateKey = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
  const key = created(await ann.post("/keys", { name: "deploy", key: privateKey, config: "Host *" }));
  const build = created(await ann.post("/builds", aBuild()));
  const copied = {
    id: expect.any(Number),
    build_id: build.id,
    key_id: key.id,
    name: "deploy",
    config: "Host *",
    location: "/root/.ssh/deploy",
    build: copyOf(build),
  };
  expect((await ann.get(build.keys_url)).json).toEqual([copied]);
  expect((await ann.get(`${build.keys_url}?search=PLOY`)).json).toEqual([copied]);
  expect((await ann.get(`${build.keys_url}?search=host`)).json).toEqual([]);
  await ann.delete(key.url);
  expect((await ann.get(build.keys_url)).json).toEqual([{ ...copied, key_id: null }]);
});
