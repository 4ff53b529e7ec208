import { parse } from "yaml";
import { withNamespace } from "./manifest.js";

test.each([
  ["jobs: []", 'jobs: []\nnamespace: "team@ann"\n'],
  ["namespace: old # ours\njobs: []\n", 'namespace: "team@ann" # ours\njobs: []\n'],
  ['{"namespace": "old", "jobs": []}', '{"namespace": "team@ann", "jobs": []}'],
  ['{"jobs": []}', '{"namespace": "team@ann", "jobs": []}'],
  ["{}", '{"namespace": "team@ann"}'],
  ["", '\nnamespace: "team@ann"\n'],
])("the namespace of %j is replaced in its place", async (manifest, expected) => {
  const changed = await withNamespace(manifest, "team@ann");
  expect(changed).toBe(expected);
  expect(parse(changed).namespace).toBe("team@ann");
});

test("a manifest where no namespace can stand is refused", async () => {
  await expect(withNamespace("- a", "team")).rejects.toThrow("not a YAML mapping");
  await expect(withNamespace("namespace:\njobs: []", "team")).rejects.toThrow("without a value");
});
