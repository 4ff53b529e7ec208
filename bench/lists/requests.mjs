// The requests for both systems. Every requested page is full in both, so that responses have the same size.

/**
 * @typedef {{ who: "admin" | "joiner" | "guest", path: string, bound: number }} Request
 */

const listBound = 1.5;
const buildBound = 1.2;
const team = "/n/admin/team";

const pages = ["", "?page=4"];
/** Searches for a word of every record, of few records, and of none. @param {string} common */
const searches = (common) => [`?search=${common}`, `?search=${common}&page=4`, "?search=NEEDLE", "?search=nowhere"];

/** @param {Request["who"]} who @param {string} path @param {number} bound @param {string[]} queries @returns {Request[]} */
const requestsFor = (who, path, bound, queries) => queries.map((query) => ({ who, path: path + query, bound }));

const named = /** @type {const} */ ([
  ["/variables", "setting"],
  ["/keys", "deploy"],
  ["/objects", "thing"],
  ["/images", "disk"],
]);

/** Returns requests for every list. @returns {Request[]} */
export const listRequests = () => [
  ...requestsFor("admin", "/users", listBound, [...pages, ...searches("user")]),
  ...requestsFor("admin", "/tokens", listBound, pages),
  ...requestsFor("admin", "/namespaces", listBound, [...pages, ...searches("root")]),
  ...requestsFor("admin", `${team}/-/namespaces`, listBound, [...pages, ...searches("part")]),
  ...requestsFor("admin", "/cron", listBound, [...pages, ...searches("daily")]),
  ...requestsFor("admin", `${team}/-/collaborators`, listBound, pages),
  ...requestsFor("admin", `${team}/-/invites`, listBound, pages),
  ...requestsFor("guest", "/invites", listBound, pages),
  ...requestsFor("admin", `${team}/-/webhooks`, listBound, pages),
  ...requestsFor("admin", `${team}/-/webhooks/1/deliveries`, listBound, pages),
  ...named.flatMap(([path, common]) => {
    const queries = [...pages, ...searches(common)];
    return [
      ...requestsFor("admin", path, listBound, queries),
      ...requestsFor("admin", `${team}/-${path}`, listBound, queries),
    ];
  }),
];

const filters = ["?tag=nightly", "?tag=rarely", "?tag=never", "?status=passed", "?status=failed", "?status=killed"];

/** Returns requests for lists of builds, and for everything about one build. @param {number} number @returns {Request[]} */
export const buildRequests = (number) => {
  const queries = [...pages, ...filters, ...searches("night")];
  const parts = ["", "/jobs", "/objects", "/variables", "/keys", "/artifacts", "/tags", "/output"];
  return [
    ...requestsFor("admin", "/builds", buildBound, queries),
    ...requestsFor("admin", `${team}/-/builds`, buildBound, queries),
    ...requestsFor("admin", "/objects/1/builds", buildBound, queries),
    ...requestsFor("admin", `/b/admin/${number}`, buildBound, parts),
  ];
};

/** Returns lists of a user who collaborates on ten times as many roots: each root is searched. */
export const joinedRequests = () =>
  [...named, ["/namespaces", "root"], ["/builds", "night"]].flatMap(([path, common]) =>
    requestsFor("joiner", `${path}`, Number.POSITIVE_INFINITY, [...pages, ...searches(`${common}`)]),
  );

/** Returns requests for deep pages. Skipping the earlier records takes time for each of them, so there is no bound. */
export const deepRequests = () =>
  ["/variables", "/namespaces", "/builds"].flatMap((path) =>
    requestsFor("admin", path, 0, ["?page=4", "?page=40", "?page=400"]),
  );
