import { Cron } from "@ci/proto/builds/v1/crons";
import { Image } from "@ci/proto/images/v1/images";
import { Key, StoredObject, Variable } from "@ci/proto/namespaces/v1/resources";
import { onDay, ownerIds, ownerIdsJson, ownersJson, relations, stamp, url } from "../test/sample.js";
import { cronJson } from "./cron.js";
import { imageJson } from "./image.js";
import { keyJson } from "./key.js";
import { objectJson } from "./object.js";
import { variableJson } from "./variable.js";

const image = Image.fromPartial({ id: 1, ...ownerIds, name: "debian", createdAt: onDay(5), size: 9, sha256: "cc" });
const imageRecord = {
  ...{ id: 1, ...ownerIdsJson, name: "debian", created_at: stamp(5), url: `${url}/images/1` },
  content_url: `${url}/images/1?download`,
  ...{ ...ownersJson, driver: "qemu", download: null },
};
const source = "sftp://me:xxxxxx@example.com/debian";
const object = StoredObject.fromPartial({
  ...{ id: 2, ...ownerIds, name: "a.txt", type: "text/plain; charset=utf-8", size: 3, md5: "aa", sha256: "bb" },
  createdAt: onDay(5),
});
const variable = Variable.fromPartial({ id: 3, ...ownerIds, key: "A", value: "plain", createdAt: onDay(5) });
const variableRecord = {
  ...{ id: 3, ...ownerIdsJson, key: "A", value: "plain", masked: false },
  ...{ url: `${url}/variables/3`, created_at: stamp(5), ...ownersJson },
};
const key = Key.fromPartial({
  id: 4,
  ...ownerIds,
  name: "deploy",
  config: "",
  createdAt: onDay(5),
  updatedAt: onDay(6),
});
const cron = Cron.fromPartial({
  ...{ id: 5, ...ownerIds, name: "nightly", schedule: "weekly", manifest: "stages: []" },
  ...{ createdAt: onDay(5), nextRun: onDay(9) },
});
const cronRecord = {
  ...{ id: 5, ...ownerIdsJson, name: "nightly", schedule: "weekly", manifest: "stages: []", created_at: stamp(5) },
  timezone: "UTC",
  ...{ prev_run: null, next_run: stamp(9), last_error: null, url: `${url}/cron/5`, ...ownersJson },
};

test.each<[string, object, object]>([
  ["uploaded image", imageJson(image, relations), imageRecord],
  [
    "image being downloaded",
    imageJson({ ...image, download: { source, createdAt: onDay(6) } }, relations),
    {
      ...imageRecord,
      download: {
        ...{ source, error: null, created_at: stamp(6), started_at: null, finished_at: null },
        ...{ received: null, total: null },
      },
    },
  ],
  [
    "image that could not be downloaded",
    imageJson(
      {
        ...image,
        download: {
          source,
          error: "timeout",
          createdAt: onDay(6),
          startedAt: onDay(7),
          finishedAt: onDay(8),
          received: 7,
          total: 9,
        },
      },
      relations,
    ),
    {
      ...imageRecord,
      download: {
        ...{ source, error: "timeout", created_at: stamp(6), started_at: stamp(7), finished_at: stamp(8) },
        ...{ received: 7, total: 9 },
      },
    },
  ],
  [
    "record without namespace",
    imageJson({ ...image, namespaceId: undefined }, relations),
    { ...imageRecord, namespace_id: null, namespace: null },
  ],
  [
    "object",
    objectJson(object, relations),
    {
      ...{ id: 2, ...ownerIdsJson, name: "a.txt", type: "text/plain; charset=utf-8", size: 3, md5: "aa", sha256: "bb" },
      ...{
        created_at: stamp(5),
        url: `${url}/objects/2`,
        content_url: `${url}/objects/2?download`,
        builds_url: `${url}/objects/2/builds`,
        ...ownersJson,
      },
    },
  ],
  ["variable", variableJson(variable, relations), variableRecord],
  [
    "masked variable, whatever its value",
    variableJson({ ...variable, masked: true }, relations),
    { ...variableRecord, value: "xxxxxx", masked: true },
  ],
  [
    "key",
    keyJson(key, relations),
    {
      ...{ id: 4, ...ownerIdsJson, name: "deploy", config: "", created_at: stamp(5), updated_at: stamp(6) },
      ...{ url: `${url}/keys/4`, ...ownersJson },
    },
  ],
  ["cron job", cronJson(cron, relations), cronRecord],
  [
    "cron job that has run",
    cronJson({ ...cron, prevRun: onDay(8), lastError: "Manifest field required" }, relations),
    { ...cronRecord, prev_run: stamp(8), last_error: "Manifest field required" },
  ],
])("%s has its documented JSON", (_, json, expected) => {
  expect(json).toStrictEqual(expected);
});
