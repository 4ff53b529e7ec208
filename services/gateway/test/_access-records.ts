import { aWord } from "@ci/testkit/builders";
import {
  createImage,
  createKey,
  createObject,
  createRequests,
  createVariable,
  diskType,
  type Named,
  objectType,
} from "./_access-make.js";
import type { Place } from "./_access-place.js";
import { complaint } from "./_access-response.js";
import { creators, memberList, members, type TableRow, tableRow, viewers } from "./_access-table.js";

type Kind = keyof typeof createRequests;
const createRecord = { object: createObject, image: createImage, variable: createVariable, key: createKey };
const createRow = creators("201", complaint("namespace", "Namespace permission denied"));

/** Returns the rows that all four kinds share: list, create, read, delete. */
function recordsOf(kind: Kind): TableRow[] {
  const collection = `/${kind}s`;
  const recordOf = ({ records }: Place): Named => records[kind];
  return [
    tableRow(`GET ${collection}`, `${kind}:read`, memberList, (place) => ({
      path: `${collection}?search=${recordOf(place).name}`,
      id: recordOf(place).id,
    })),
    tableRow(`POST ${collection}`, `${kind}:write`, createRow, (place) => createRequests[kind](place)),
    tableRow(`GET ${collection}/:`, `${kind}:read`, viewers("200"), (place) => ({
      path: `${collection}/${recordOf(place).id}`,
    })),
    tableRow(`DELETE ${collection}/:`, `${kind}:delete`, members("204"), async (place) => ({
      path: `${collection}/${(await createRecord[kind](place.crew.owner, place)).id}`,
    })),
  ];
}

/** R58 to R75. */
export const records: readonly TableRow[] = [
  ...recordsOf("image"),
  tableRow(
    "POST /images",
    "image:write",
    createRow,
    ({ namespace, inbox }) => ({
      path: "/images",
      json: { name: aWord(), namespace, download_url: `${inbox.url}/disk` },
    }),
    "with a download",
  ),
  tableRow(
    "GET /images/:",
    "image:read",
    viewers("200 content"),
    ({ records }) => ({ path: `/images/${records.image.id}`, headers: { accept: diskType }, content: "QFI" }),
    "as content",
  ),
  tableRow(
    "GET /images/:",
    "image:read",
    viewers("200 content"),
    ({ records }) => ({ path: `/images/${records.image.id}?download`, content: "QFI" }),
    "as a file",
  ),
  ...recordsOf("object"),
  tableRow(
    "GET /objects/:",
    "object:read",
    viewers("200 content"),
    ({ records }) => ({ path: `/objects/${records.object.id}`, headers: { accept: objectType }, content: "stored" }),
    "as content",
  ),
  tableRow(
    "GET /objects/:",
    "object:read",
    viewers("200 content"),
    ({ records }) => ({ path: `/objects/${records.object.id}?download`, content: "stored" }),
    "as a file",
  ),
  tableRow("GET /objects/:/builds", "object:read", viewers("200 listed"), ({ records }) => ({
    path: `/objects/${records.object.id}/builds`,
    id: records.finished.id,
  })),
  ...recordsOf("variable"),
  tableRow("PATCH /variables/:", "variable:write", members("200"), ({ records }) => ({
    path: `/variables/${records.variable.id}`,
    json: { value: "changed" },
  })),
  ...recordsOf("key"),
  tableRow("PATCH /keys/:", "key:write", members("200"), ({ records }) => ({
    path: `/keys/${records.key.id}`,
    json: { config: "Port 2222" },
  })),
];
