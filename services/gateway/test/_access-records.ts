import { aWord } from "@ci/testkit/builders";
import { createRequests, diskType, image, key, type Named, object, objectType, variable } from "./_access-make.js";
import type { Place } from "./_access-place.js";
import { refused } from "./_access-seen.js";
import { creators, type Expected, expected, memberList, members, viewers } from "./_access-table.js";

type Kind = keyof typeof createRequests;
const make = { object, image, variable, key };
const create = creators("201", refused("namespace", "Namespace permission denied"));

/** Returns the rows that all four kinds share: list, create, read, delete. */
function recordsOf(kind: Kind): Expected[] {
  const collection = `/${kind}s`;
  const recordOf = ({ records }: Place): Named => records[kind];
  return [
    expected(`GET ${collection}`, `${kind}:read`, memberList, (at) => ({
      path: `${collection}?search=${recordOf(at).name}`,
      id: recordOf(at).id,
    })),
    expected(`POST ${collection}`, `${kind}:write`, create, (at) => createRequests[kind](at)),
    expected(`GET ${collection}/:`, `${kind}:read`, viewers("200"), (at) => ({
      path: `${collection}/${recordOf(at).id}`,
    })),
    expected(`DELETE ${collection}/:`, `${kind}:delete`, members("204"), async (at) => ({
      path: `${collection}/${(await make[kind](at.crew.owner, at)).id}`,
    })),
  ];
}

/** R58 to R75. */
export const records: readonly Expected[] = [
  ...recordsOf("image"),
  expected(
    "POST /images",
    "image:write",
    create,
    ({ namespace, inbox }) => ({
      path: "/images",
      json: { name: aWord(), namespace, download_url: `${inbox.url}/disk` },
    }),
    "with a download",
  ),
  expected(
    "GET /images/:",
    "image:read",
    viewers("200 content"),
    ({ records }) => ({ path: `/images/${records.image.id}`, headers: { accept: diskType }, content: "QFI" }),
    "as content",
  ),
  ...recordsOf("object"),
  expected(
    "GET /objects/:",
    "object:read",
    viewers("200 content"),
    ({ records }) => ({ path: `/objects/${records.object.id}`, headers: { accept: objectType }, content: "stored" }),
    "as content",
  ),
  expected("GET /objects/:/builds", "object:read", viewers("200 listed"), ({ records }) => ({
    path: `/objects/${records.object.id}/builds`,
    id: records.finished.id,
  })),
  ...recordsOf("variable"),
  ...recordsOf("key"),
  expected("PATCH /keys/:", "key:write", members("200"), ({ records }) => ({
    path: `/keys/${records.key.id}`,
    json: { config: "Port 2222" },
  })),
];
