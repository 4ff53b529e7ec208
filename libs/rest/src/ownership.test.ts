import { Cron } from "@ci/proto/builds/v1/crons";
import { Image } from "@ci/proto/images/v1/images";
import { Key, StoredObject, Variable } from "@ci/proto/namespaces/v1/resources";
import { at, kept, keptBy, keptIds, known, stamp, url } from "../test/sample.js";
import { cronJson } from "./cron.js";
import { imageJson } from "./image.js";
import { keyJson } from "./key.js";
import { objectJson } from "./object.js";
import { variableJson } from "./variable.js";

const image = Image.fromPartial({ id: 1, ...keptBy, name: "debian", createdAt: at(5), size: 9, sha256: "cc" });
const imageShown = {
  ...{ id: 1, ...keptIds, name: "debian", created_at: stamp(5), url: `${url}/images/1` },
  ...{ ...kept, driver: "qemu", download: null },
};
const source = "sftp://me:xxxxxx@example.com/debian";
const object = StoredObject.fromPartial({
  ...{ id: 2, ...keptBy, name: "a.txt", type: "text/plain; charset=utf-8", size: 3, md5: "aa", sha256: "bb" },
  createdAt: at(5),
});
const variable = Variable.fromPartial({ id: 3, ...keptBy, key: "A", value: "plain", createdAt: at(5) });
const variableShown = {
  ...{ id: 3, ...keptIds, key: "A", value: "plain", masked: false },
  ...{ url: `${url}/variables/3`, created_at: stamp(5), ...kept },
};
const key = Key.fromPartial({ id: 4, ...keptBy, name: "deploy", config: "", createdAt: at(5), updatedAt: at(6) });
const cron = Cron.fromPartial({
  ...{ id: 5, ...keptBy, name: "nightly", schedule: "weekly", manifest: "stages: []" },
  ...{ createdAt: at(5), nextRun: at(9) },
});
const cronShown = {
  ...{ id: 5, ...keptIds, name: "nightly", schedule: "weekly", manifest: "stages: []", created_at: stamp(5) },
  ...{ prev_run: null, next_run: stamp(9), last_error: null, url: `${url}/cron/5`, ...kept },
};

test.each<[string, object, object]>([
  ["uploaded image", imageJson(image, known), imageShown],
  [
    "image being downloaded",
    imageJson({ ...image, download: { source, createdAt: at(6) } }, known),
    {
      ...imageShown,
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
          createdAt: at(6),
          startedAt: at(7),
          finishedAt: at(8),
          received: 7,
          total: 9,
        },
      },
      known,
    ),
    {
      ...imageShown,
      download: {
        ...{ source, error: "timeout", created_at: stamp(6), started_at: stamp(7), finished_at: stamp(8) },
        ...{ received: 7, total: 9 },
      },
    },
  ],
  [
    "record without namespace",
    imageJson({ ...image, namespaceId: undefined }, known),
    { ...imageShown, namespace_id: null, namespace: null },
  ],
  [
    "object",
    objectJson(object, known),
    {
      ...{ id: 2, ...keptIds, name: "a.txt", type: "text/plain; charset=utf-8", size: 3, md5: "aa", sha256: "bb" },
      ...{ created_at: stamp(5), url: `${url}/objects/2`, builds_url: `${url}/objects/2/builds`, ...kept },
    },
  ],
  ["variable", variableJson(variable, known), variableShown],
  [
    "masked variable, whatever its value",
    variableJson({ ...variable, masked: true }, known),
    { ...variableShown, value: "xxxxxx", masked: true },
  ],
  [
    "key",
    keyJson(key, known),
    {
      ...{ id: 4, ...keptIds, name: "deploy", config: "", created_at: stamp(5), updated_at: stamp(6) },
      ...{ url: `${url}/keys/4`, ...kept },
    },
  ],
  ["cron job", cronJson(cron, known), cronShown],
  [
    "cron job that has run",
    cronJson({ ...cron, prevRun: at(8), lastError: "Manifest field required" }, known),
    { ...cronShown, prev_run: stamp(8), last_error: "Manifest field required" },
  ],
])("the JSON of: %s", (_, shown, expected) => {
  expect(shown).toStrictEqual(expected);
});
