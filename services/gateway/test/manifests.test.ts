import { aWord } from "@ci/testkit/builders";
import { constellation, type SignedUp } from "@ci/testkit/constellation";

const ci = constellation();
let user: SignedUp;
beforeAll(async () => {
  user = await ci.signUp();
});

const manifest = `driver: {type: os}
allow_failures: [test]
sources: [https://git.example.com/a/b]
jobs:
- stage: test
  name: Unit tests
  commands: [npm test]
  artifacts: [report.xml => r.xml]
- commands: [make]
`;

test("a valid manifest is checked, and its jobs are returned with their names in a build", async () => {
  const { status, json } = await user.post("/manifests/check", { manifest, comment: "c", tags: ["t"] });
  expect([status, json]).toEqual([
    200,
    {
      valid: true,
      errors: [],
      jobs: [
        {
          ...{ stage: "test", name: "unit-tests", commands: ["npm test"], artifacts: ["report.xml"] },
          allow_failure: true,
        },
        { stage: "build", name: "build.1", commands: ["make"], artifacts: [], allow_failure: false },
      ],
    },
  ]);
  expect((await user.get("/builds")).json).toEqual([]);
});

test("a check finds what a submission is refused for, with places", async () => {
  const request = { manifest: manifest.replace("commands: [make]", "script: [make]"), tags: ["x".repeat(200)] };
  const { json: refused } = await user.post("/builds", request);
  const { json } = await user.post("/manifests/check", request);
  expect(json.valid).toBe(false);
  expect(json.errors).toEqual([
    {
      message: 'Manifest line 9: unknown key "script" in a job; did you mean "commands"?',
      ...{ line: 9, column: 3 },
    },
    { message: expect.stringContaining("Tag"), line: null, column: null },
  ]);
  expect(json.errors.map(({ message }: { message: string }) => message)).toEqual([
    ...refused.manifest,
    ...refused.tags,
  ]);
  expect(json.jobs).toEqual([]);
});

test("a namespace that is refused has a place", async () => {
  const { json } = await user.post("/manifests/check", { manifest: `${manifest}namespace: a b\n` });
  const message = expect.stringContaining("Manifest a b: namespace: name can only contain letters");
  expect(json.errors).toEqual([{ message, line: 10, column: 12 }]);
});

test("a check makes no namespace", async () => {
  const namespace = aWord("ns");
  const { json } = await user.post("/manifests/check", { manifest: `${manifest}namespace: ${namespace}\n` });
  expect(json.valid).toBe(true);
  expect((await user.get(`/n/${user.username}/${namespace}`)).status).toBe(404);
});

test("a manifest that is missing is a mistake like any other", async () => {
  const { status, json } = await user.post("/manifests/check", {});
  expect([status, json.errors]).toEqual([200, [{ message: "Manifest field required", line: null, column: null }]]);
});

test("editors get the schema without a token", async () => {
  const { status, json } = await ci.as().get("/manifest.schema.json");
  expect(status).toBe(200);
  expect(json).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `${ci.url}/manifest.schema.json`,
    properties: { jobs: { description: expect.any(String), examples: [expect.any(Array)] } },
  });
});

test("a manifest without jobs is accepted", async () => {
  expect((await user.post("/builds", { manifest: "driver: {type: os}" })).status).toBe(201);
});

describe("parameters that a route does not know", () => {
  test.each([
    ["/builds?statuss=passed", '299 - "unknown parameter statuss"'],
    ["/builds?status=passed&tag=a&search=b&page=1", undefined],
    ["/user?page=1", '299 - "unknown parameter page"'],
    [
      `/builds?a=1&%22%0A=2&a=3&${"y".repeat(200)}=4&${encodeURIComponent("ü")}`,
      ["a", "%22%0A", "y".repeat(100), "%C3%BC"].map((name) => `299 - "unknown parameter ${name}"`).join(", "),
    ],
    ["/builds?=1", '299 - "unknown parameter "'],
    ["/builds?constructor=1&status=nonsense", '299 - "unknown parameter constructor"'],
  ])("of %.60j are named in a header", async (path, expected) => {
    expect((await user.get(path)).headers.warning).toBe(expected);
  });

  test("are five at most in an answer", async () => {
    const query = Array.from({ length: 1_000 }, (_, n) => `p${n}=1`).join("&");
    expect((await user.get(`/builds?${query}`)).headers.warning?.split(", ")).toHaveLength(5);
  });
});
