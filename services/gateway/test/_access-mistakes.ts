import { cronRequest } from "./_access-crons.js";
import type { Place } from "./_access-place.js";
import { refused } from "./_access-seen.js";
import { type Expected, expected, members, owners, viewers } from "./_access-table.js";

const malformed = '400 {"message":"Malformed JSON"}';
const unknownStatus = refused("status", "Status invalid status x");
const n = "/n/:/:";

/** A malformed body. Only users with permission may get a complaint about it. */
const unreadable = { body: "{", headers: { "Content-Type": "application/json" } };
const withBrokenBody = (path: (at: Place) => string) => (at: Place) => ({ path: path(at), ...unreadable });
const withUnknownStatus = (path: (at: Place) => string) => (at: Place) => ({ path: `${path(at)}?status=x` });

const tags = ({ records }: Place) => `${records.finished.url}/tags`;
const jobs = ({ records }: Place) => `${records.finished.url}/jobs`;
const key = ({ records }: Place) => `/keys/${records.key.id}`;
const below = (rest: string) => (at: Place) => at.url + rest;
const webhook = (at: Place) => `${at.url}/-/webhooks/${at.records.webhook}`;
const either = "namespace:write or webhook:write";
const variant = "with a mistake";

/** 1.4: permissions are checked before the request, so that complaints reveal nothing. */
export const mistakes: readonly Expected[] = [
  expected("POST /b/:/:/tags", "build:write", members(malformed), withBrokenBody(tags), variant),
  expected("GET /b/:/:/jobs", "build:read", viewers(unknownStatus), withUnknownStatus(jobs), variant),
  expected(`PATCH ${n}`, "namespace:write", owners(malformed), withBrokenBody(below("")), variant),
  expected(
    `GET ${n}/-/builds`,
    "namespace:read",
    viewers(unknownStatus),
    withUnknownStatus(below("/-/builds")),
    variant,
  ),
  expected(`POST ${n}/-/invites`, "invite:write", owners(malformed), withBrokenBody(below("/-/invites")), variant),
  expected(`POST ${n}/-/webhooks`, either, members(malformed), withBrokenBody(below("/-/webhooks")), variant),
  expected(
    `POST ${n}/-/repositories`,
    "namespace:write",
    members(malformed),
    withBrokenBody(below("/-/repositories")),
    variant,
  ),
  expected(`PATCH ${n}/-/webhooks/:`, either, members(malformed), withBrokenBody(webhook), variant),
  expected("PATCH /keys/:", "key:write", members(malformed), withBrokenBody(key), variant),
  expected("PATCH /cron/:", "cron:write", members(malformed), cronRequest("", unreadable), variant),
  expected("GET /cron/:/builds", "cron:read", viewers(unknownStatus), cronRequest("/builds?status=x"), variant),
  expected(
    "POST /b/:/:/restart",
    "build:write",
    members(refused("status", "Status build is not finished")),
    ({ records }) => ({ path: `${records.queued}/restart` }),
    variant,
  ),
];
