import { once } from "node:events";
import { connect } from "node:net";
import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created } from "@ci/testkit/constellation";

const ci = constellation();

const policy = "default-src 'none'; frame-ancestors 'none'";
const secure = {
  "x-content-type-options": "nosniff",
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "private, no-cache",
};

test("every response forbids browsers to guess, load, frame, tell and keep for others", async () => {
  const ann = await ci.signUp();
  const responses = await Promise.all([
    ann.get("/user"),
    ann.get("/nothing"),
    ann.send("PUT", "/user"),
    ci.as().get("/user"),
    ann.post("/namespaces", {}),
    ann.send("POST", "/namespaces", { body: "{", headers: { "content-type": "application/json" } }),
    ci.as().get("/openapi.json"),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 405, 401, 400, 400, 200]);
  for (const { headers } of responses) expect(headers).toMatchObject(secure);
});

test("content of users is also sandboxed, and pages of others may show the badge", async () => {
  const ann = await ci.signUp();
  const object = created(await ann.send("POST", `/objects?name=${aWord()}`, { body: "<script>alert(1)</script>" }));
  const content = await ann.get(object.url, { accept: object.type });
  expect(content.text).toContain("<script>");
  expect(content.headers).toMatchObject({ ...secure, "content-security-policy": `${policy}; sandbox` });
  const { number } = created(await ann.post("/builds", { manifest: aManifest() }));
  const output = await ann.get(`/b/${ann.username}/${number}/output`);
  expect(output.headers).toMatchObject({ ...secure, "content-security-policy": `${policy}; sandbox` });
  const badge = await ci.as().get("/n/nobody/nothing/-/badge.svg");
  const ofBadge = { "cross-origin-resource-policy": "cross-origin", "cache-control": "no-cache" };
  expect(badge.headers).toMatchObject({ ...secure, ...ofBadge });
});

test("so does the response to a request that cannot be parsed", async () => {
  const socket = connect(Number(new URL(ci.origin).port), "127.0.0.1");
  socket.end("nonsense\r\n\r\n");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  expect(text).toContain("400 Bad Request");
  for (const [name, value] of Object.entries(secure)) expect(text.toLowerCase()).toContain(`${name}: ${value}`);
});

test("nobody may store a response with a secret", async () => {
  const ann = await ci.signUp();
  const aToken = () => ({ name: aWord(), scope: "build:read" });
  const responses = [
    await ann.post("/tokens", aToken()),
    await ci.admin.post(`/users/${ann.username}/tokens`, aToken()),
    await ann.post("/user/sign-in-links"),
  ];
  for (const { status, headers, json } of responses)
    expect([status, json.secret, headers["cache-control"]]).toEqual([201, expect.any(String), "no-store"]);
  const { headers } = await ann.get("/tokens");
  expect(headers["cache-control"]).toBe("private, no-cache");
});
