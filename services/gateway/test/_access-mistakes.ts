import { heldCron } from "./_access-crons.js";
import type { Place } from "./_access-place.js";
import { refused } from "./_access-seen.js";
import { type Expected, expected, members, owners, viewers } from "./_access-table.js";

const malformed = '400 {"message":"Malformed JSON"}';
const unknownStatus = refused("status", "Status invalid status x");
const n = "/n/:/:";

/** An unreadable body, to see which users get a complaint. */
const unreadable = { body: "{", headers: { "Content-Type": "application/json" } };
const broken = (path: (at: Place) => string) => (at: Place) => ({ path: path(at), ...unreadable });
const asking = (path: (at: Place) => string) => (at: Place) => ({ path: `${path(at)}?status=x` });

const tags = ({ records }: Place) => `${records.finished.url}/tags`;
const jobs = ({ records }: Place) => `${records.finished.url}/jobs`;
const key = ({ records }: Place) => `/keys/${records.key.id}`;
const below = (rest: string) => (at: Place) => at.url + rest;
const webhook = (at: Place) => `${at.url}/-/webhooks/${at.records.webhook}`;
const either = "namespace:write or webhook:write";
const variant = "with a mistake";

/** 1.4: permissions are checked before the request, so that complaints reveal nothing. */
export const mistakes: readonly Expected[] = [
  expected("POST /b/:/:/tags", "build:write", members(malformed), broken(tags), variant),
  expected("GET /b/:/:/jobs", "build:read", viewers(unknownStatus), asking(jobs), variant),
  expected(`PATCH ${n}`, "namespace:write", owners(malformed), broken(below("")), variant),
  expected(`GET ${n}/-/builds`, "namespace:read", viewers(unknownStatus), asking(below("/-/builds")), variant),
  expected(`POST ${n}/-/invites`, "invite:write", owners(malformed), broken(below("/-/invites")), variant),
  expected(`POST ${n}/-/webhooks`, either, members(malformed), broken(below("/-/webhooks")), variant),
  expected(
    `POST ${n}/-/repositories`,
    "namespace:write",
    members(malformed),
    broken(below("/-/repositories")),
    variant,
  ),
  expected(`PATCH ${n}/-/webhooks/:`, either, members(malformed), broken(webhook), variant),
  expected("PATCH /keys/:", "key:write", members(malformed), broken(key), variant),
  expected("PATCH /cron/:", "cron:write", members(malformed), heldCron("", unreadable), variant),
  expected("GET /cron/:/builds", "cron:read", viewers(unknownStatus), heldCron("/builds?status=x"), variant),
  expected(
    "POST /b/:/:/restart",
    "build:write",
    members(refused("status", "Status build is not finished")),
    ({ records }) => ({ path: `${records.queued}/restart` }),
    variant,
  ),
];
