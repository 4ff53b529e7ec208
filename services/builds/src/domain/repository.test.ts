import { literalBlocked, parseAllow } from "@ci/kit/net/guard";
import { readManifest } from "@ci/manifest/manifest";
import { withOrigin } from "./origin.js";
import { changeComplaints, repositoryComplaints, sameRepository } from "./repository.js";

const allow = parseAllow("");
const valid = { provider: "github", url: "https://github.com/octo/hello.git", secret: "s", accessToken: "", forks: "" };
const complaints = (fields: Partial<typeof valid>) =>
  Object.fromEntries(
    Object.entries(repositoryComplaints({ ...valid, ...fields }, (url) => literalBlocked(url, allow))).filter(
      ([, messages]) => messages.length > 0,
    ),
  );

it("one answer lists every mistake", () => {
  expect(complaints({})).toEqual({});
  expect(complaints({ provider: "", url: "", secret: "", accessToken: "a b" })).toEqual({
    provider: ["Provider field required"],
    url: ["Url field required"],
    secret: ["Secret field required"],
    access_token: ["Access_token invalid access token; it must be printable ASCII without spaces"],
  });
  expect(complaints({ provider: "svn", secret: "x".repeat(256), accessToken: "x".repeat(256) })).toEqual({
    provider: ["Provider invalid provider svn; it must be github, gitlab or gitea"],
    secret: ["Secret cannot be longer than 255 characters in length"],
    access_token: ["Access_token cannot be longer than 255 characters in length"],
  });
});

it("a secret of spaces is none: nothing would be left of it in GitLab's header", () => {
  expect(complaints({ secret: " \t" })).toEqual({ secret: ["Secret field required"] });
  expect(changeComplaints({ secret: " " }).secret).toEqual(["Secret field required"]);
  expect(changeComplaints({ secret: "" }).secret).toEqual([]);
});

const scheme = "Url invalid url scheme; it must be http or https";
const credentials = "Url cannot contain credentials; use access_token";
const address = "Url address not allowed; the operator can allow it in CI_GUARD_ALLOW";
const path = "Url invalid repository path; give the address that git clones, such as https://example.com/team/app.git";

it.each([
  ["ftp://h/o/r", scheme],
  ["ssh://git@h/o/r", scheme],
  ["git@github.com:o/r.git", scheme],
  ["file:///etc", scheme],
  ["github.com/o/r", scheme],
  ["--upload-pack=x", scheme],
  ["http:///o/r", "Url missing host"],
  ["https://:80/o/r", "Url missing host"],
  ["https://user:pw@github.com/o/r", credentials],
  ["https://@github.com/o/r", credentials],
  ["http://localhost/o/r", address],
  ["http://127.0.0.1/o/r", address],
  ["http://2130706433/o/r", address],
  ["http://[::1]/o/r", address],
  ["http://169.254.169.254/o/r", address],
  ["https://github.com", path],
  ["https://github.com/", path],
  ["https://github.com/o/r?x=1", path],
  ["https://github.com/o/r#x", path],
  ["https://github.com/o/ r", path],
  ["https://github.com/o/%zz.git", path],
  ["https://github.com/o/%ff", path],
  [`https://github.com/${"r".repeat(2_048)}`, "Url cannot be longer than 2048 characters in length"],
])("the URL %s is rejected: %s", (url, message) => {
  expect(complaints({ url })).toEqual({ url: [message] });
});

it("different URLs of a repository are recognised as the same", () => {
  const url = "https://github.com/octo/hello.git";
  for (const other of [
    "https://GitHub.com/octo/hello/",
    "git@github.com:octo/hello.git",
    "ssh://git@github.com:22/octo/hello",
  ])
    expect([other, sameRepository(url, other)]).toEqual([other, true]);
  for (const other of ["https://github.com/octo/hello2.git", "https://gitlab.com/octo/hello.git", "octo/hello", ""])
    expect([other, sameRepository(url, other)]).toEqual([other, false]);
});

describe("the sources of a build", () => {
  const limits = { maxBytes: 10_000, maxStages: 10, maxJobs: 10 };
  const manifest = (sources: (string | object)[]) => {
    const read = readManifest(JSON.stringify({ driver: { type: "os" }, sources }), limits);
    if (!("manifest" in read)) throw new Error(read.complaints.join());
    return read.manifest;
  };
  const origin = { url: valid.url, sha: "abc", bare: false };
  const sources = (...listed: (string | object)[]) => withOrigin(manifest(listed), origin).sources;

  it("start with the repository at its commit", () => {
    expect(sources("https://other.example/x")).toEqual([
      { url: valid.url, ref: "abc", directory: "hello" },
      { url: "https://other.example/x", ref: "", directory: "x" },
    ]);
  });

  it("stay as listed if the repository is among them with a ref", () => {
    expect(sources("git@github.com:octo/hello.git dev => src")).toEqual([
      { url: "git@github.com:octo/hello.git", ref: "dev", directory: "src" },
    ]);
  });

  it("keep their order and options; the repository without a ref gets the commit and its branch", () => {
    const options = { dir: "src", depth: 3, submodules: true };
    const listed = ["https://other.example/x", "git@github.com:octo/hello.git", { url: valid.url, ...options }];
    const pushed = { ...origin, ref: "refs/heads/main" };
    expect(withOrigin(manifest([...listed, `${valid.url} v1 => old`]), pushed).sources).toEqual([
      { url: "https://other.example/x", ref: "", directory: "x" },
      { url: "git@github.com:octo/hello.git", ref: "abc", branch: "main", directory: "hello" },
      { url: valid.url, ref: "abc", branch: "main", directory: "src", depth: 3, submodules: true },
      { url: valid.url, ref: "v1", directory: "old" },
    ]);
    expect(sources({ url: valid.url, depth: 1 })).toEqual([
      { url: valid.url, ref: "abc", directory: "hello", depth: 1 },
    ]);
  });
});
