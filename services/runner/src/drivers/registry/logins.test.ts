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
