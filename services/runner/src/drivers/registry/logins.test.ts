import { basic, loginsOf } from "./logins.js";

const auth = Buffer.from("ann:a:b").toString("base64");
const text = JSON.stringify({
  auths: {
    "registry.corp.example:5000": { auth },
    "https://index.docker.io/v1/": { username: "bob", password: "c" },
    "ghcr.io": {},
  },
  credsStore: "desktop",
});

test.each([
  ["registry.corp.example:5000/team/x:1", { username: "ann", password: "a:b" }],
  ["docker.io/library/busybox:1", { username: "bob", password: "c" }],
  ["busybox:1", { username: "bob", password: "c" }],
  ["ghcr.io/x:1", undefined],
  ["registry.corp.example/x:1", undefined],
  ["constructor/x:1", { username: "bob", password: "c" }],
])("the login for %s", (image, login) => {
  expect(loginsOf(text)(image)).toEqual(login);
});

const filed = (...entries: readonly (readonly [key: string, password?: string])[]) =>
  JSON.stringify({
    auths: Object.fromEntries(entries.map(([key, password]) => [key, password ? { username: "ann", password } : {}])),
  });
const hub = "https://index.docker.io/v1/";

test.each([
  [
    "`docker login` writes tokens",
    "team/x:1",
    filed([hub, "a"], [`${hub}access-token`, "b"], [`${hub}refresh-token`, "c"]),
  ],
  ["another folder has its own entry", "quay.io/teams/x:1", filed(["quay.io", "a"], ["quay.io/team", "b"])],
  ["the URL of the registry ends with its version", "quay.io/team/x:1", filed(["https://quay.io/v2", "a"])],
  ["the URL of the registry ends with a slash", "quay.io/x:1", filed(["https://quay.io/", "a"])],
  ["a later entry is empty", "x:1", filed([hub, "a"], ["docker.io"])],
])("the login is the registry's if %s", (_when, image, file) => {
  expect(loginsOf(file)(image)).toEqual({ username: "ann", password: "a" });
});

test.each([
  ["quay.io/team/x:1", "b"],
  ["quay.io/team/web/x@sha256:0", "b"],
  ["quay.io/team/web/site:1", "c"],
  ["quay.io/other/x:1", undefined],
])("the login for %s is that of the nearest folder above it, if there is one", (image, password) => {
  const logins = loginsOf(filed(["quay.io/team/", "b"], ["quay.io/team/web/site", "c"]));
  expect(logins(image)?.password).toBe(password);
});

test("without a file there are no logins", () => {
  expect([undefined, "", " "].map((none) => loginsOf(none)("docker.io"))).toEqual([undefined, undefined, undefined]);
});

test.each(["{", "null", "[]", "{}", '{"auths": 1}', '{"auths": {"a": "b"}}', '{"auths": {"a": {"auth": "eA=="}}}'])(
  "%s is refused in words that do not repeat it",
  (wrong) => {
    expect(() => loginsOf(wrong)).toThrow(
      /^DOCKER_AUTH_CONFIG is not the content of a Docker config file with `auths`$/,
    );
  },
);

test("a login becomes a header", () => {
  expect(basic({ username: "ann", password: "a:b" })).toBe(`Basic ${auth}`);
});
