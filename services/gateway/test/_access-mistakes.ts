import { cronRequest } from "./_access-crons.js";
import type { Place } from "./_access-place.js";
import { complaint } from "./_access-response.js";
import { members, owners, type TableRow, tableRow, viewers } from "./_access-table.js";

const malformed = '400 {"message":"Malformed JSON"}';
const unknownStatus = complaint("status", "Status invalid status x");
const n = "/n/:/:";

/** Only users with permission may get the complaint about this body. */
const malformedBody = { body: "{", headers: { "Content-Type": "application/json" } };
const withBrokenBody = (path: (place: Place) => string) => (place: Place) => ({ path: path(place), ...malformedBody });
const withUnknownStatus = (path: (place: Place) => string) => (place: Place) => ({ path: `${path(place)}?status=x` });

const tags = ({ records }: Place) => `${records.finished.url}/tags`;
const jobs = ({ records }: Place) => `${records.finished.url}/jobs`;
const restart = ({ records }: Place) => `${records.finished.url}/restart`;
const variable = ({ records }: Place) => `/variables/${records.variable.id}`;
const unknownGroup = complaint("group", "Group must be true or false");
const withUnknownGroup = ({ records }: Place) => ({ path: `${records.finished.url}?group=x` });
const key = ({ records }: Place) => `/keys/${records.key.id}`;
const below = (rest: string) => (place: Place) => place.url + rest;
const webhook = (place: Place) => `${place.url}/-/webhooks/${place.records.webhook}`;
const either = "namespace:write or webhook:write";
const tooLong = complaint("search", "Search cannot be longer than 1024 characters in length");
const withLongSearch = (path: (place: Place) => string) => (place: Place) => ({
  path: `${path(place)}?search=${"x".repeat(1025)}`,
});
const build = ({ records }: Place) => records.finished.url;
const variant = "with a mistake";

/** 1.4: permissions are checked before the request, so that complaints reveal nothing. */
export const mistakes: readonly TableRow[] = [
  tableRow("POST /b/:/:/tags", "build:write", members(malformed), withBrokenBody(tags), variant),
  tableRow("GET /b/:/:/jobs", "build:read", viewers(unknownStatus), withUnknownStatus(jobs), variant),
  tableRow(`PATCH ${n}`, "namespace:write", owners(malformed), withBrokenBody(below("")), variant),
  tableRow(
    `GET ${n}/-/builds`,
    "namespace:read",
    viewers(unknownStatus),
    withUnknownStatus(below("/-/builds")),
    variant,
  ),
  tableRow(`POST ${n}/-/invites`, "invite:write", owners(malformed), withBrokenBody(below("/-/invites")), variant),
  tableRow(`POST ${n}/-/webhooks`, either, members(malformed), withBrokenBody(below("/-/webhooks")), variant),
  tableRow(
    `POST ${n}/-/repositories`,
    "namespace:write",
    members(malformed),
    withBrokenBody(below("/-/repositories")),
    variant,
  ),
  tableRow(`PATCH ${n}/-/webhooks/:`, either, members(malformed), withBrokenBody(webhook), variant),
  tableRow("PATCH /variables/:", "variable:write", members(malformed), withBrokenBody(variable), variant),
  tableRow("POST /b/:/:/restart", "build:write", members(malformed), withBrokenBody(restart), "with a broken body"),
  tableRow("DELETE /b/:/:", "build:delete", members(unknownGroup), withUnknownGroup, variant),
  tableRow("PATCH /keys/:", "key:write", members(malformed), withBrokenBody(key), variant),
  tableRow("PATCH /cron/:", "cron:write", members(malformed), cronRequest("", malformedBody), variant),
  tableRow("GET /cron/:/builds", "cron:read", viewers(unknownStatus), cronRequest("/builds?status=x"), variant),
  tableRow(
    "GET /b/:/:/tests",
    "build:read",
    viewers(unknownStatus),
    withUnknownStatus((place) => `${build(place)}/tests`),
    variant,
  ),
  ...["objects", "variables", "keys", "artifacts", "tags"].map((list) =>
    tableRow(
      `GET /b/:/:/${list}`,
      "build:read",
      viewers(tooLong),
      withLongSearch((place) => `${build(place)}/${list}`),
      variant,
    ),
  ),
  ...["namespaces", "images", "objects", "variables", "keys"].map((list) =>
    tableRow(`GET ${n}/-/${list}`, "namespace:read", viewers(tooLong), withLongSearch(below(`/-/${list}`)), variant),
  ),
  tableRow(
    "POST /b/:/:/restart",
    "build:write",
    members(complaint("status", "Status build is not finished")),
    ({ records }) => ({ path: `${records.queued}/restart` }),
    variant,
  ),
];
