import { below, findRoute, lineId, ownPage, pageAt, placeIn } from "./routes.js";

const origin = "https://ci.example";

const routes = ["/", "/builds", "/b/:user/:number", "/n/:user/:path", "/n/:user/:path/-/builds"].map((pattern) => ({
  pattern,
  page: pattern,
}));

test.each([
  ["/", "/", {}],
  ["/builds/", "/builds", {}],
  ["/b/a%20b/7", "/b/:user/:number", { user: "a b", number: "7" }],
  ["/n/ann/a/b", "/n/:user/:path", { user: "ann", path: "a/b" }],
  ["/n/ann/a/b/-/builds", "/n/:user/:path/-/builds", { user: "ann", path: "a/b" }],
])("%s is the page %s", (path, page, params) => expect(findRoute(routes, path)).toEqual({ page, params }));

test.each(["/build", "/b/ann", "/b/ann/7/x", "/n/ann", "/n/ann/-/builds", "/b/%zz/1/2"])("%s is no page", (path) =>
  expect(findRoute(routes, path)).toBeUndefined(),
);

test("a path is divided from the base path of the public URL", () => {
  expect([below("", "/builds"), below("/ci", "/ci/builds"), below("/ci", "/ci")]).toEqual(["/builds", "/builds", "/"]);
  expect([below("/ci", "/cider"), below("/ci", "/builds")]).toEqual([undefined, undefined]);
});

test.each(["/ci/b/ann/7?x=1#unit:L12", "/ci/", "/ci/n/%5Cann"])("%s is an own page below /ci", (next) =>
  expect(ownPage("/ci", origin, next)).toBe(next),
);

test.each([
  ...["//evil.example/ci/", "/\\evil.example/ci/", "/\t/evil.example/ci/", "/\n\\evil.example/ci/", "\\/evil.example"],
  ...["https://evil.example/ci/", "javascript:alert(1)", "", "/cider", "/ci/../other", "/ci\\..\\other"],
])("%j is no own page below /ci", (next) => expect(ownPage("/ci", origin, next)).toBeUndefined());

test("an own page of a public URL without path begins with one slash", () => {
  expect(ownPage("", origin, "/b/ann/7")).toBe("/b/ann/7");
  for (const next of [
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/.//evil.example",
    "/x/..//evil.example",
  ])
    expect([next, ownPage("", origin, next)]).toEqual([next, undefined]);
});

test("an address names a job, or a line of its output", () => {
  expect(placeIn("")).toEqual({});
  expect(placeIn("#unit%20tests")).toEqual({ job: "unit tests" });
  expect(placeIn(`#${lineId("a:b é", 120)}`)).toEqual({ job: "a:b é", line: 120 });
});

test.each(["", "/ci"])("the URL of a record leads to its page, below %j", (base) => {
  const publicUrl = `https://ci.example${base}`;
  const pageOf = (url: string) => pageAt({ publicUrl, base, origin }, url);
  expect([pageOf(publicUrl), pageOf(`${publicUrl}/b/ann/7?x=1#unit`)]).toEqual([base, `${base}/b/ann/7?x=1#unit`]);
  for (const url of ["https://evil.example/b", `${publicUrl}r/b`, `${publicUrl}@evil.example`, "/b/ann/7", ""])
    expect([url, pageOf(url)]).toEqual([url, undefined]);
});

test("a URL with several slashes after the public URL is no page", () => {
  const site = { publicUrl: "https://ci.example", base: "", origin };
  for (const path of ["//evil.example", "/\\evil.example", "/\t/evil.example", "/.//evil.example"])
    expect([path, pageAt(site, site.publicUrl + path)]).toEqual([path, undefined]);
});
