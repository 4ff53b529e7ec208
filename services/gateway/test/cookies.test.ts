import type { ApiRequest } from "@ci/testkit/api";
import { aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const ci = constellation({ settings: { CORS_ORIGINS: "https://other.example" } });
const own = "http://ci.test";
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

const send = (method: string, path: string, headers: Record<string, string>, request: ApiRequest = {}) =>
  ci.as().send(method, path, { ...request, headers });

/** Signs in with a body, and returns the browser's cookie. */
async function signIn(body: object = { token: ann.token }, headers: Record<string, string> = { origin: own }) {
  const response = await send("POST", "/session", headers, { json: body });
  const session = created(response);
  const header = response.headers["set-cookie"]!.toString();
  return { session, header, cookie: header.split(";")[0]! };
}

const userOf = async (cookie: string) => send("GET", "/user", { cookie });
const newVariable = () => ({ json: { key: aWord("K").toUpperCase(), value: "x" } });

describe("signing in", () => {
  test("sets a cookie that scripts and other sites cannot use", async () => {
    const { session, header, cookie } = await signIn();
    expect(header).toMatch(
      /^ci_session=ci_[\w-]{43}; Path=\/api; Max-Age=(2592000|2591999); HttpOnly; SameSite=Strict$/,
    );
    expect(session).toMatchObject({ user_id: ann.id, address: "127.0.0.1", current: true });
    expect(JSON.stringify(session)).not.toContain(cookie.split("=")[1]);
    expect((await userOf(cookie)).json).toMatchObject({ username: ann.username });
  });

  test("takes a form too, and a program without an origin", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    expect((await send("POST", "/session", headers, { body: `token=${ann.token}` })).status).toBe(201);
  });

  test("is refused with a wrong secret, without one, and with both", async () => {
    const attempt = (json: object) => send("POST", "/session", { origin: own }, { json });
    expect(await attempt({ token: "ci_wrong" })).toMatchObject({ status: 401, json: { message: "Unauthorized" } });
    expect((await attempt({ link: ann.token })).status).toBe(401);
    const refusal = { status: 400, json: { token: ["Either token or link is required"] } };
    expect(await attempt({})).toMatchObject(refusal);
    expect(await attempt({ token: ann.token, link: "x" })).toMatchObject(refusal);
  });

  test("is refused from a page of another site", async () => {
    const attempt = async (name: string, value: string) =>
      (await send("POST", "/session", { [name]: value }, { json: { token: ann.token } })).status;
    expect(await attempt("origin", "https://other.example")).toBe(403);
    expect(await attempt("origin", "null")).toBe(403);
    for (const site of ["cross-site", "none"]) expect(await attempt("sec-fetch-site", site)).toBe(403);
  });

  test("is in the audit log, and so are failed attempts", async () => {
    const entries = async (filters: string) => (await ci.admin.get(`/audit?action=openSession&${filters}`)).json;
    await signIn();
    await eventually(async () =>
      expect((await entries(`user=${ann.username}`))[0]).toMatchObject({
        ...{ username: ann.username, token_name: "test", kind: "session", status: 201, outcome: "done" },
      }),
    );
    await send("POST", "/session", {}, { json: { token: "ci_wrong" } });
    await eventually(async () => expect((await entries("outcome=refused"))[0]).toMatchObject({ status: 401 }));
  });
});

describe("a cookie", () => {
  test("is good for requests of our own page only", async () => {
    const { cookie } = await signIn();
    const create = async (headers: Record<string, string>) =>
      (await send("POST", "/variables", { cookie, ...headers }, newVariable())).status;
    expect(await create({ origin: own })).toBe(201);
    expect(await create({ "sec-fetch-site": "same-origin" })).toBe(201);
    expect(await create({})).toBe(403);
    expect(await create({ origin: "https://other.example" })).toBe(403);
    expect(await create({ origin: "null" })).toBe(403);
    expect(await create({ origin: "http://ci.test:81" })).toBe(403);
    expect(await create({ "sec-fetch-site": "same-site" })).toBe(403);
    expect(await create({ "sec-fetch-site": "none" })).toBe(403);
    // An origin that is wrong is not made good by another header.
    expect(await create({ origin: "https://other.example", "sec-fetch-site": "same-origin" })).toBe(403);
  });

  test("opens what its user enters in the address bar", async () => {
    const { cookie } = await signIn();
    expect((await send("GET", "/user", { cookie, "sec-fetch-site": "none" })).status).toBe(200);
  });

  test("is ignored when another site reads, also one that CORS_ORIGINS names", async () => {
    const { cookie } = await signIn();
    expect((await send("GET", "/user", { cookie })).status).toBe(200);
    expect((await send("GET", "/user", { cookie, origin: own })).status).toBe(200);
    const foreign = await send("GET", "/user", { cookie, origin: "https://other.example" });
    expect(foreign.status).toBe(401);
    expect(foreign.headers["access-control-allow-credentials"]).toBeUndefined();
    for (const site of ["cross-site", "same-site"])
      expect((await send("GET", "/user", { cookie, "sec-fetch-site": site })).status).toBe(401);
  });

  test("gives way to an Authorization header, even a wrong one", async () => {
    const { cookie } = await signIn();
    const bob = await ci.signUp();
    const as = (authorization: string) => send("GET", "/user", { cookie, authorization });
    expect((await as(`Bearer ${bob.token}`)).json).toMatchObject({ username: bob.username });
    expect((await as("Bearer wrong")).status).toBe(401);
    expect((await as("Basic x")).status).toBe(401);
  });

  test("may do what its token may, and is no token itself", async () => {
    const { secret } = created(await ann.post("/tokens", { name: aWord(), scope: "build:read" }));
    const { cookie } = await signIn({ token: secret });
    expect((await send("GET", "/builds", { cookie })).status).toBe(200);
    expect((await send("GET", "/images", { cookie })).json).toEqual({ message: "Token lacks permission image:read" });
    expect((await ci.as(cookie.split("=")[1]).get("/user")).status).toBe(401);
    expect((await send("GET", "/user", { cookie: `ci_session=${secret}` })).status).toBe(401);
  });

  test("opens streams, which end with the session", async () => {
    const name = aWord("ns");
    created(await ann.post("/namespaces", { name }));
    const { cookie, session } = await signIn();
    const headers = { cookie, accept: "text/event-stream" };
    const stream = await ci.as().open("GET", `/n/${ann.username}/${name}/-/events`, { headers });
    expect(stream.statusCode).toBe(200);
    const closed = new Promise((resolve) => stream.once("close", resolve).on("error", () => {}));
    stream.resume();
    expect((await ann.delete(`/user/sessions/${session.id}`)).status).toBe(204);
    await closed;
  });
});

describe("sessions", () => {
  test("are listed for their user, and say which one asks", async () => {
    const bob = await ci.signUp();
    const first = await signIn({ token: bob.token });
    const second = await signIn({ token: bob.token }, { origin: own, "user-agent": "Firefox" });
    const { json } = await send("GET", "/user/sessions", { cookie: first.cookie });
    expect(json).toEqual([
      { ...second.session, current: false },
      { ...first.session, last_used_at: expect.any(String) },
    ]);
    expect(json[0]).toMatchObject({ user_agent: "Firefox" });
    expect((await ann.get("/user/sessions")).json.map(({ id }: { id: number }) => id)).not.toContain(first.session.id);
    expect((await bob.get("/tokens")).json).toHaveLength(1);
  });

  test("can be ended one by one, by their user only", async () => {
    const bob = await ci.signUp();
    const [here, there] = [await signIn({ token: bob.token }), await signIn({ token: bob.token })];
    expect((await ann.delete(`/user/sessions/${there.session.id}`)).status).toBe(404);
    const end = await send("DELETE", `/user/sessions/${there.session.id}`, { cookie: here.cookie, origin: own });
    expect(end.status).toBe(204);
    expect((await userOf(there.cookie)).status).toBe(401);
    expect((await userOf(here.cookie)).status).toBe(200);
  });

  test("end when the user signs out, which also removes the cookie", async () => {
    const { cookie } = await signIn();
    const signOut = () => send("DELETE", "/session", { cookie, origin: own });
    const { status, headers } = await signOut();
    expect([status, headers["set-cookie"]?.toString()]).toEqual([
      204,
      "ci_session=; Path=/api; Max-Age=0; HttpOnly; SameSite=Strict",
    ]);
    expect((await userOf(cookie)).status).toBe(401);
    expect((await signOut()).status).toBe(401);
    expect((await ann.delete("/session")).status).toBe(204);
  });

  test("end with the token that opened them", async () => {
    const { secret, id } = created(await ann.post("/tokens", { name: aWord(), scope: "build:read" }));
    const { cookie } = await signIn({ token: secret });
    expect((await userOf(cookie)).status).toBe(200);
    await ann.delete(`/tokens/${id}`);
    expect((await userOf(cookie)).status).toBe(401);
  });
});

test("a sign-in link opens one session", async () => {
  const link = created(await ann.post("/user/sign-in-links"));
  expect(link.url).toBe(`${ci.url}/-/sign-in#${link.secret}`);
  const { cookie } = await signIn({ link: link.secret });
  expect((await userOf(cookie)).json).toMatchObject({ username: ann.username });
  expect((await send("POST", "/session", { origin: own }, { json: { link: link.secret } })).status).toBe(401);
});
