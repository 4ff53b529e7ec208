import { segments } from "@ci/rest/urls";
import { routes } from "../routes.js";
import { matcher, segmentsOf } from "./match.js";

const match = matcher(routes);

describe("match", () => {
  test.each([
    ["/b/ann/7", "/b/:user/:number", { user: "ann", number: 7 }],
    ["/b/ann/007/", "/b/:user/:number", { user: "ann", number: 7 }],
    ["/b/a%20b/7/jobs/x%2Fy", "/b/:user/:number/jobs/:name", { user: "a b", number: 7, name: "x/y" }],
    ["/b/ann/7/jobs/output/output", "/b/:user/:number/jobs/:name/output", { user: "ann", number: 7, name: "output" }],
    ["/b/ann/7/tags/a/b%2fc//d", "/b/:user/:number/tags/:name+", { user: "ann", number: 7, name: "a/b/c//d" }],
    ["/n/ann/a/b/c", "/n/:username/:path", { username: "ann", path: "a/b/c" }],
    ["/n/ann/a%2Fb", "/n/:username/:path", { username: "ann", path: "a/b" }],
    ["/n/ann/a/b/-/keys", "/n/:username/:path/-/keys", { username: "ann", path: "a/b" }],
    ["/n/ann/a-b/1.d/e_-", "/n/:username/:path", { username: "ann", path: "a-b/1.d/e_-" }],
    ["/n/ann/a-/b../-/badge.svg", "/n/:username/:path/-/badge.svg", { username: "ann", path: "a-/b.." }],
    ["/n/ann/badge.svg/", "/n/:username/:path", { username: "ann", path: "badge.svg" }],
    ["/n/-/a/-/keys", "/n/:username/:path/-/keys", { username: "-", path: "a" }],
    ["/n/ann/a/-/collaborators/b@c", "/n/:username/:path/-/collaborators/:user", { user: "b@c", path: "a" }],
    ["/", "/", {}],
  ])("finds the row of %s", (path, template, params) => {
    const method = template.includes("collaborators/") ? "DELETE" : "GET";
    expect(match(method, path)).toMatchObject({ row: { path: template }, params });
  });

  test.each([
    "/b/ann",
    "/b/ann/x",
    "/b/ann/1e3",
    "/b//1",
    "/b/ann/9007199254740992",
    "/b/ann/1/tags//",
    "/n/ann",
    "/n/ann/-/keys",
    "/n/ann/a//b",
    "/n/ann/_a",
    "/n/ann/a/.b",
    "/n/ann/a/-b",
    "/n/ann/a/--/keys",
    "/n/ann/a%20b",
    "/n/ann/a/..",
    "/n/ann/a%0A",
    "/n/ann/a/-",
    "/n/ann/a/-/nothing",
    "/builds/x",
    "/builds//",
    "/%E0%A4%A",
  ])("finds no row for %s", (path) => {
    expect(match("GET", path)).toBeUndefined();
  });
});

test("match returns the allowed methods of a path, with HEAD, for another method", () => {
  expect(match("PUT", "/tokens")).toEqual({ allow: ["GET", "HEAD", "POST"] });
  expect(match("POST", "/b/ann/1/tags/x")).toEqual({ allow: ["GET", "HEAD", "DELETE"] });
  expect(match("HEAD", "/tokens")).toEqual(match("GET", "/tokens"));
});

test.each(["a", "a/", "/a", "a//b", "/", "../../../../n/ann/prod", "a/.", "%2F", "50%/\u00fc?"])(
  "the URL of the tag %j leads to it",
  (name) => {
    const { pathname } = new URL(`https://ci.example.com/b/ann/7/tags/${segments(name)}`);
    for (const method of ["GET", "DELETE"])
      expect(match(method, pathname)).toMatchObject({
        row: { path: "/b/:user/:number/tags/:name+" },
        params: { user: "ann", number: 7, name },
      });
  },
);

test.each([".", ".."])("the URL of the tag %j leads to no other resource", (name) => {
  const { pathname } = new URL(`https://ci.example.com/b/ann/7/tags/${segments(name)}`);
  expect(match("DELETE", pathname)).toMatchObject({ params: { name: `${name}/` } });
});

test("every request matches exactly one row", () => {
  expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  const concretePaths = routes.map(({ path }) => path.replace(/:path/g, "a/b").replace(/:(number|id|delivery)/g, "1"));
  for (const [index, path] of concretePaths.entries()) {
    const concrete = path.replace(/:(\w+)\+?/g, "x");
    expect(match(routes[index]!.method, concrete)).toMatchObject({ row: routes[index] });
  }
});

test("segmentsOf decodes segments after it has split them", () => {
  expect(segmentsOf("/a%2Fb/c%252F/")).toEqual(["a/b", "c%2F"]);
  expect(segmentsOf("/a/%")).toBeUndefined();
});
