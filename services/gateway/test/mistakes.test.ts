import { constellation } from "@ci/testkit/constellation";

const ci = constellation({ settings: { DRIVERS: "qemu", JOB_LIMIT: "1" } });

const manifest = `
namespace: a b
driver: {type: docker, workspace: build}
env: [BAD, GOOD=1]
objects: [a => ../b]
sources: [--upload-pack=evil, https://a/b]
stages: {a: b}
allow_failures: no
jobs: [{stage: a, artifacts: [x => ""/.., ok]}]
`;

it("one response names all eleven mistakes of a manifest and those of other fields", async () => {
  const user = await ci.signUp();
  const { status, json } = await user.post("/builds", { manifest, comment: 7, tags: ["x".repeat(101)] });
  expect(status).toBe(400);
  expect(json).toEqual({
    manifest: [
      "Manifest stages has the wrong type",
      "Manifest allow_failures has the wrong type",
      "Manifest driver error: docker - driver disabled",
      "Manifest driver docker requies image",
      "Manifest driver docker invalid workspace build",
      "Manifest env invalid entry BAD",
      "Manifest objects invalid entry a => ../b",
      'Manifest artifacts invalid entry x => ""/..',
      "Manifest sources invalid entry --upload-pack=evil",
      "Manifest cannot have more than 1 jobs",
      "Manifest a b: namespace: name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
    ],
    comment: ["Comment must be a string"],
    tags: ["Tags name cannot be longer than 100 characters in length"],
  });
  expect((await user.get("/builds")).json).toEqual([]);
  expect((await user.get("/namespaces")).json).toEqual([]);
});
