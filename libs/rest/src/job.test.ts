import { Artifact, BuildKey, BuildObject, BuildVariable, Tag } from "@ci/proto/builds/v1/builds";
import { adaJson, bobJson, build, buildCopy, job, jobCopy, onDay, relations, stamp, url } from "../test/sample.js";
import { artifactJson } from "./artifact.js";
import { jobJson } from "./job.js";
import { buildKeyJson } from "./key.js";
import { buildObjectJson } from "./object.js";
import { tagJson } from "./tag.js";
import { buildVariableJson } from "./variable.js";

const noContent = { content_url: null, size: null, md5: null, sha256: null };

const artifact = Artifact.fromPartial({
  ...{ id: 3, buildId: 100, jobId: 200, userId: 2, source: "out/*", name: "out/a b?.tar", createdAt: onDay(5) },
  ...{ size: 0, md5: "aa", sha256: "bb" },
});
const artifactRecord = {
  ...{ id: 3, build_id: 100, job_id: 200, user_id: 2, source: "out/*", name: "out/a b?.tar" },
  ...{ size: 0, md5: "aa", sha256: "bb", created_at: stamp(5), deleted_at: null },
  url: `${url}/b/bob.b/7/artifacts/out/a%20b%3F.tar`,
  content_url: `${url}/b/bob.b/7/artifacts/out/a%20b%3F.tar?download`,
  ...{ user: bobJson, build: buildCopy, job: jobCopy },
};
const tag = Tag.fromPartial({ id: 4, userId: 1, buildId: 100, name: "v1/ß", createdAt: onDay(8) });
const object = BuildObject.fromPartial({ id: 5, buildId: 100, source: "a.txt", name: "in/a.txt" });
const objectRecord = {
  ...{ id: 5, build_id: 100, source: "a.txt", name: "in/a.txt", type: null, md5: null, sha256: null },
  ...{ placed: false, object_url: null, build: buildCopy },
};
const variable = BuildVariable.fromPartial({ id: 6, buildId: 100, key: "A", value: "plain", variableId: 60 });
const variableRecord = {
  ...{ id: 6, build_id: 100, key: "A", value: "plain", masked: false },
  ...{ variable_url: `${url}/variables/60`, build: buildCopy },
};
const key = BuildKey.fromPartial({ id: 8, buildId: 100, name: "deploy", config: "Host *" });

test.each<[string, object, object]>([
  ["job", jobJson(job, build, relations), { ...jobCopy, output: "ok\n", build: buildCopy }],
  ["artifact", artifactJson(artifact, build, job, relations), artifactRecord],
  [
    "curated artifact",
    artifactJson(
      { ...artifact, size: undefined, md5: undefined, sha256: undefined, deletedAt: onDay(9) },
      build,
      job,
      relations,
    ),
    { ...artifactRecord, ...noContent, deleted_at: stamp(9) },
  ],
  [
    "tag",
    tagJson(tag, build, relations),
    {
      ...{ id: 4, user_id: 1, build_id: 100, name: "v1/ß", created_at: stamp(8) },
      ...{ url: `${url}/b/bob.b/7/tags/v1/%C3%9F`, user: adaJson, build: buildCopy },
    },
  ],
  ["object not found", buildObjectJson(object, build, relations), objectRecord],
  [
    "object",
    buildObjectJson(
      { ...object, type: "text/plain", md5: "aa", sha256: "bb", placed: true, objectId: 9 },
      build,
      relations,
    ),
    { ...objectRecord, type: "text/plain", md5: "aa", sha256: "bb", placed: true, object_url: `${url}/objects/9` },
  ],
  ["variable", buildVariableJson(variable, build, relations), variableRecord],
  [
    "masked variable of the manifest",
    buildVariableJson({ ...variable, masked: true, variableId: undefined }, build, relations),
    { ...variableRecord, value: "xxxxxx", masked: true, variable_url: null },
  ],
  [
    "key",
    buildKeyJson(key, build, relations),
    {
      ...{ id: 8, build_id: 100, key_id: null, name: "deploy", config: "Host *" },
      ...{ location: "/root/.ssh/deploy", build: buildCopy },
    },
  ],
])("a build's %s has its documented JSON", (_, json, expected) => {
  expect(json).toStrictEqual(expected);
});
