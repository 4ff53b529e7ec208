import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { routes } from "../src/routes.js";

const ci = constellation();
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const tooDeep = { status: 400, json: { message: "Request body cannot be nested more than 32 levels deep" } };
const send = (method: string, path: string, body: string) =>
  ann.send(method, path, { body, headers: { "content-type": "application/json" } });

/** Without a token, a body can have 8 KiB. */
const depthFor = (permission: unknown) => (permission === "none" ? 4_000 : 200_000);
const fields = routes.flatMap(({ method, path, permission, action: { body, download, whole } }) =>
  path.includes(":") || whole
    ? []
    : Object.keys(body ?? download ?? {}).map((field) => [method, path, depthFor(permission), field] as const),
);

test.each(fields)("%s %s refuses %d nested arrays as %s", async (method, path, depth, field) => {
  const api = path === "/users" ? ci.admin : ann;
  const body = `{"${field}":${nested(depth)}}`;
  expect(await api.send(method, path, { body, headers: { "content-type": "application/json" } })).toMatchObject(
    tooDeep,
  );
});

test("32 levels are read, whatever strings contain", async () => {
  const name = aWord("ns");
  expect(await send("POST", "/namespaces", `{"name":"${name}","x":${nested(32)}}`)).toMatchObject(tooDeep);
  const brackets = "[{".repeat(500);
  const body = JSON.stringify({ name, x: `"\\${brackets}`, [brackets]: "\\" }).replace(/}$/, `,"y":${nested(31)}}`);
  expect(await send("POST", "/namespaces", body)).toMatchObject({ status: 201 });
});

test("a body that is too deep has no effect and is still checked for its target", async () => {
  expect((await send("PATCH", "/n/nobody/nothing", nested(200_000))).status).toBe(404);
  expect((await ann.post("/builds", { manifest: aManifest(), tags: [[["deep"]]] })).json).toEqual({
    tags: ["Tags must be an array of strings"],
  });
});

test("10,000 values are read, whatever strings contain, and more are refused before they are parsed", async () => {
  const zeros = (count: number) => `[${Array(count).fill(0).join(",")}]`;
  const name = aWord("ns");
  expect(await send("POST", "/namespaces", `{"name":"${name}","x":${zeros(10_000)}}`)).toMatchObject({
    status: 400,
    json: { message: "Request body cannot have more than 10000 values" },
  });
  const body = `{"name":"${name}","${",".repeat(20_000)}":${zeros(9_999)}}`;
  expect(await send("POST", "/namespaces", body)).toMatchObject({ status: 201 });
});
