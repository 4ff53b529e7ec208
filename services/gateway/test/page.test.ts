import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { apiAt } from "@ci/testkit/api";
import { aManifest } from "@ci/testkit/builders";
import { constellation, created } from "@ci/testkit/constellation";
import { hasPage } from "../src/http/negotiate.js";
import { routes } from "../src/routes.js";

/** A built page with one script. */
const webDir = mkdtempSync(join(tmpdir(), "ci-web-"));
const script = "export {};".repeat(100);
mkdirSync(join(webDir, "-/assets"), { recursive: true });
writeFileSync(
  join(webDir, "index.html"),
  '<meta name="public-url" content=""><script type="module" src="./-/assets/main-abc.js"></script>',
);
writeFileSync(join(webDir, "-/assets/main-abc.js"), script);
writeFileSync(join(webDir, "-/assets/main-abc.js.gz"), gzipSync(script));
afterAll(() => rmSync(webDir, { recursive: true }));

const ci = constellation({ settings: { WEB_DIR: webDir } });
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
/** Sends a browser's request. The description of the API says nothing of pages. */
const open = (path: string, accept = browser, more: Record<string, string> = {}) =>
  apiAt({ publicUrl: ci.url, origin: ci.origin }).get(path, { accept, ...more });
const isPage = (headers: Readonly<Record<string, string | undefined>>) =>
  headers["content-type"] === "text/html; charset=utf-8";

const pathOf = (path: string) => path.replace(/:(number|id|delivery)/g, "7").replace(/:(\w+)\+?/g, "any");

test("every address with a record is a page for browsers, without a token", async () => {
  const rows = routes.filter(hasPage);
  expect(rows.length).toBeGreaterThan(40);
  for (const { path } of rows) {
    const { status, headers, text } = await open(pathOf(path));
    expect([path, status, isPage(headers)]).toEqual([path, 200, true]);
    expect(headers).toMatchObject({ vary: "Accept", "cache-control": "no-cache" });
    expect(text).toContain('content="http://ci.test/api"');
    expect(text).toContain('src="/api/-/assets/main-abc.js"');
  }
});

test("a stream of events is a page for browsers only, and not for clients that would rather have the stream", async () => {
  for (const path of ["/events", "/n/any/any/-/events"]) {
    const accepted = ["text/html", "text/event-stream", "text/event-stream, text/html;q=0.5", "*/*"];
    const shown = [];
    for (const accept of accepted) shown.push((await open(path, accept)).status);
    expect([path, shown]).toEqual([path, [200, 401, 401, 401]]);
  }
});

test("the page may load only its own scripts and styles, and talk only to its own server", async () => {
  const { headers } = await open("/builds");
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "font-src 'none'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'",
  );
  expect(headers["x-content-type-options"]).toBe("nosniff");
});

test.each(["*/*", "application/json", "application/json, text/plain, */*", "text/html;q=0.5, application/json", ""])(
  "a program that accepts %j gets JSON",
  async (accept) => {
    const ann = await ci.signUp();
    const { json, headers } = await ann.get("/user", { accept });
    expect(json).toMatchObject({ username: ann.username });
    expect(headers.vary).toBe("Accept");
  },
);

test("a program with a token gets JSON whatever it accepts, and GET /health is JSON for everyone", async () => {
  const ann = await ci.signUp();
  expect((await ann.get("/user", { accept: browser })).json).toMatchObject({ username: ann.username });
  const wrong = await open("/user", browser, { authorization: "Bearer wrong" });
  expect([wrong.status, wrong.json]).toEqual([401, { message: "Unauthorized" }]);
  expect((await open("/health")).json).toEqual({ status: "ok" });
  expect(isPage((await open("/user", browser, { authorization: "Basic of-a-proxy" })).headers)).toBe(true);
});

test("responses of addresses with a page say that they depend on Accept, also when they refuse", async () => {
  const refused = await ci.as().get("/builds");
  const missing = await ci.as().get("/nothing");
  expect([refused.status, refused.headers.vary]).toEqual([401, "Accept"]);
  expect([missing.status, missing.headers.vary]).toEqual([404, "Accept"]);
});

test("a browser gets a page for unknown addresses and for those that cannot be read", async () => {
  for (const path of ["/nothing", "/b/ann/x", "/-/nothing"]) {
    const { status, headers } = await open(path);
    expect([path, status, isPage(headers)]).toEqual([path, 404, true]);
  }
  const { status, headers } = await open("/tokens/7");
  expect([status, isPage(headers), headers.allow]).toEqual([405, true, "DELETE"]);
  for (const path of ["/-/sign-in", "/-/new-build"]) expect((await open(path)).status).toBe(200);
});

test("raw content, streams, files and downloads stay what they are for browsers", async () => {
  const ann = await ci.signUp();
  const { number } = created(await ann.post("/builds", { manifest: aManifest() }));
  const accept = { accept: browser };
  const output = await ann.get(`/b/${ann.username}/${number}/output`, accept);
  expect(output.headers["content-type"]).toMatch(/^text\/plain/);
  expect((await ann.get("/openapi.json", accept)).json).toMatchObject({ openapi: "3.1.0" });
  expect((await open("/n/a/b/-/badge.svg")).headers["content-type"]).toBe("image/svg+xml");
  expect((await ann.get(`/b/${ann.username}/${number}?download`, accept)).json).toMatchObject({ number });
});

test("only reading is a page: a browser's form is a request to the API", async () => {
  const { status, json } = await ci.as().send("POST", "/builds", { headers: { accept: browser }, body: "" });
  expect([status, json]).toEqual([401, { message: "Unauthorized" }]);
});

test("a browser that has the page need not load it again", async () => {
  const { headers } = await open("/builds");
  const again = await open("/b/ann/7", browser, { "if-none-match": headers.etag! });
  expect([again.status, again.text]).toEqual([304, ""]);
});

test("HEAD returns the headers of the page", async () => {
  const { status, headers, text } = await ci.as().send("HEAD", "/builds", { headers: { accept: browser } });
  expect([status, isPage(headers), text]).toEqual([200, true, ""]);
});

describe("an asset", () => {
  const path = "/-/assets/main-abc.js";

  test("is kept by browsers for ever", async () => {
    const { status, headers, text } = await open(path, "*/*");
    expect([status, text]).toEqual([200, script]);
    expect(headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff",
    });
  });

  test("is sent compressed to those who accept that", async () => {
    const { headers, bytes } = await open(path, "*/*", { "accept-encoding": "gzip, deflate, br" });
    expect(headers["content-encoding"]).toBe("gzip");
    expect(bytes).toEqual(gzipSync(script));
  });

  test.each(["/-/assets/other.js", "/-/assets/../index.html", "/-/assets/main-abc.js.gz", "/-/assets/"])(
    "%s does not exist",
    async (path) => {
      const { status, json } = await open(path, "*/*");
      expect([status, json]).toEqual([404, { message: "Not Found" }]);
    },
  );
});
