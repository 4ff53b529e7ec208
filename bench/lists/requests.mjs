// What is asked of both systems. Every list is full on every page asked for, in both, so that answers weigh the same.

/**
 * @typedef {{ who: "admin" | "joiner" | "guest", path: string, bound: number }} Request
 */

const listBound = 1.5;
const buildBound = 1.2;
const team = "/n/admin/team";

const pages = ["", "?page=4"];
/** A word that every record has, one that few have, one that none has. @param {string} common */
const searches = (common) => [`?search=${common}`, `?search=${common}&page=4`, "?search=NEEDLE", "?search=nowhere"];

/** @param {Request["who"]} who @param {string} path @param {number} bound @param {string[]} queries @returns {Request[]} */
const asked = (who, path, bound, queries) => queries.map((query) => ({ who, path: path + query, bound }));

const named = /** @type {const} */ ([
  ["/variables", "setting"],
  ["/keys", "deploy"],
  ["/objects", "thing"],
  ["/images", "disk"],
]);

/** Contract 1.5, one list after the other. @returns {Request[]} */
export const listRequests = () => [
  ...asked("admin", "/users", listBound, [...pages, ...searches("user")]),
  ...asked("admin", "/tokens", listBound, pages),
  ...asked("admin", "/namespaces", listBound, [...pages, ...searches("root")]),
  ...asked("admin", `${team}/-/namespaces`, listBound, [...pages, ...searches("part")]),
  ...asked("admin", "/cron", listBound, [...pages, ...searches("daily")]),
  ...asked("admin", `${team}/-/collaborators`, listBound, pages),
  ...asked("admin", `${team}/-/invites`, listBound, pages),
  ...asked("guest", "/invites", listBound, pages),
  ...asked("admin", `${team}/-/webhooks`, listBound, pages),
  ...asked("admin", `${team}/-/webhooks/1/deliveries`, listBound, pages),
  ...named.flatMap(([path, common]) => {
    const queries = [...pages, ...searches(common)];
    return [...asked("admin", path, listBound, queries), ...asked("admin", `${team}/-${path}`, listBound, queries)];
  }),
];

const filters = ["?tag=nightly", "?tag=rarely", "?tag=never", "?status=passed", "?status=failed", "?status=killed"];

/** Lists of builds, and all there is to read of the build with a number. @param {number} number @returns {Request[]} */
export const buildRequests = (number) => {
  const queries = [...pages, ...filters, ...searches("night")];
  const parts = ["", "/jobs", "/objects", "/variables", "/keys", "/artifacts", "/tags", "/output"];
  return [
    ...asked("admin", "/builds", buildBound, queries),
    ...asked("admin", `${team}/-/builds`, buildBound, queries),
    ...asked("admin", "/objects/1/builds", buildBound, queries),
    ...asked("admin", `/b/admin/${number}`, buildBound, parts),
  ];
};

/** The lists of a user who collaborates on ten times as many roots: each of them is a place to look in. */
export const joinedRequests = () =>
  [...named, ["/namespaces", "root"], ["/builds", "night"]].flatMap(([path, common]) =>
    asked("joiner", `${path}`, Number.POSITIVE_INFINITY, [...pages, ...searches(`${common}`)]),
  );

/** Pages far behind: skipping what lies before them costs time for each record, and no bound is promised. */
export const deepRequests = () =>
  ["/variables", "/namespaces", "/builds"].flatMap((path) =>
    asked("admin", path, 0, ["?page=4", "?page=40", "?page=400"]),
  );
