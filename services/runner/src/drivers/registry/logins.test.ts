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
  ["registry.corp.example:5000", { username: "ann", password: "a:b" }],
  ["docker.io", { username: "bob", password: "c" }],
  ["ghcr.io", undefined],
  ["registry.corp.example", undefined],
  ["constructor", undefined],
])("the login for %s", (registry, login) => {
  expect(loginsOf(text)(registry)).toEqual(login);
});

const filed = (...entries: readonly (readonly [key: string, password?: string])[]) =>
  JSON.stringify({
    auths: Object.fromEntries(entries.map(([key, password]) => [key, password ? { username: "ann", password } : {}])),
  });
const hub = "https://index.docker.io/v1/";

test.each([
  [
    "`docker login` writes tokens",
    "docker.io",
    filed([hub, "a"], [`${hub}access-token`, "b"], [`${hub}refresh-token`, "c"]),
  ],
  ["a repository has its own entry", "quay.io", filed(["quay.io", "a"], ["quay.io/team", "b"])],
  ["the URL of the registry ends with its version", "quay.io", filed(["https://quay.io/v2", "a"])],
  ["the URL of the registry ends with a slash", "quay.io", filed(["https://quay.io/", "a"])],
  ["a later entry is empty", "docker.io", filed([hub, "a"], ["docker.io"])],
])("the login is the registry's if %s", (_when, registry, file) => {
  expect(loginsOf(file)(registry)).toEqual({ username: "ann", password: "a" });
});

test("the login for a repository is not that of its registry", () => {
  expect(loginsOf(filed(["quay.io/team", "a"]))("quay.io")).toBeUndefined();
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
