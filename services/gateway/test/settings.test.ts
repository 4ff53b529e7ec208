import { aWord } from "@ci/testkit/builders";
import { constellation, created } from "@ci/testkit/constellation";

const ci = constellation({
  settings: {
    PUBLIC_URL: "http://ci.test/",
    CORS_ORIGINS: "http://one.test, http://two.test",
    REQUESTS_PER_MINUTE: "20",
    BODY_LIMIT: "1KiB",
    BADGE_LABEL: 'Tests & "more"',
  },
});

test("the gateway serves the API at the root if the public URL has no path", async () => {
  const response = await fetch(`${ci.origin}/version`);
  expect(response.status).toBe(200);
  expect((await ci.as().get("/")).json.user_url).toBe("http://ci.test/user");
});

describe("origins", () => {
  test("that are listed may send preflight requests", async () => {
    const { status, headers, text } = await ci
      .as()
      .send("OPTIONS", "/builds", { headers: { origin: "http://two.test" } });
    expect([status, text]).toEqual([204, ""]);
    expect(headers).toMatchObject({
      allow: "GET, HEAD, POST",
      "access-control-allow-origin": "http://two.test",
      "access-control-allow-methods": "GET, HEAD, POST",
      "access-control-allow-headers": expect.stringContaining("Authorization"),
      vary: "Origin",
    });
    expect((await ci.as().send("OPTIONS", "/nothing")).status).toBe(404);
  });

  test("that are listed may read every response; others may read none", async () => {
    for (const path of ["/version", "/nothing", "/user"]) {
      const listed = await ci.as().get(path, { origin: "http://one.test" });
      expect(listed.headers["access-control-allow-origin"]).toBe("http://one.test");
      expect(listed.headers["access-control-expose-headers"]).toContain("Link");
      const unlisted = await ci.as().get(path, { origin: "http://evil.test" });
      expect([unlisted.status, unlisted.headers["access-control-allow-origin"]]).toEqual([listed.status, undefined]);
    }
  });
});

test("the gateway rejects bodies that are larger than BODY_LIMIT", async () => {
  const ann = await ci.signUp();
  expect((await ann.post("/namespaces", { name: aWord("ns"), description: "x".repeat(900) })).status).toBe(400);
  expect((await ann.post("/namespaces", { name: "x".repeat(1_024) })).status).toBe(413);
});

test("the gateway limits the requests of a token per minute before it checks the scope", async () => {
  const { secret } = created(await ci.admin.post("/tokens", { name: aWord(), scope: "build:read" }));
  const limited = ci.as(secret);
  // If a minute ends meanwhile, the count restarts and reaches the limit in a later minute.
  let refused = 0;
  for (let i = 0; i < 200 && refused === 0; i++) {
    const { status, json, headers } = await limited.get("/namespaces");
    if (status === 403) continue;
    expect([status, json]).toEqual([429, { message: "Too many requests" }]);
    expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(Number(headers["retry-after"])).toBeLessThanOrEqual(60);
    refused = i;
  }
  expect(refused).toBeGreaterThanOrEqual(20);
  expect((await ci.as().get("/version")).status).toBe(200);
  expect((await limited.get("/nothing")).status).toBe(404);
});

test("the badge has the configured label", async () => {
  const { text } = await ci.as().get("/n/nobody/nothing/-/badge.svg");
  expect(text).toContain("<title>Tests &amp; &quot;more&quot;: unknown</title>");
});
