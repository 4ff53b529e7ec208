// Which tests must fail without which limits. `settings` and `fixed` are what is lifted; each title must fail. If it `hangs`,
// that is a failure too.

/** @typedef {{ file: string, settings?: Record<string, string>, fixed?: Record<string, number>, fails: string[], hangs?: true }} CounterCheck */

const much = 1e9;
const gateway = (/** @type {string} */ name) => `services/gateway/test/${name}.test.ts`;
const records = {
  user: ["NAMESPACES", "WEBHOOKS", "REPOSITORIES", "CRON_JOBS", "TOKENS"],
  namespace: ["IMAGES", "OBJECTS", "VARIABLES", "KEYS", "COLLABORATORS"],
};
const quotas = Object.entries(records).flatMap(([per, names]) =>
  names.map((name) => [`${name}_PER_${per.toUpperCase()}`, "0"]),
);
const sizes = ["BODY", "OBJECT", "ARTIFACT", "MANIFEST", "MASK", "OUTPUT", "IMAGE", "IMAGE_VIRTUAL"];
const counts = ["COMMENT_LENGTH", "SCOPE_LENGTH", "TEXT_LENGTH", "DESCRIPTION_LENGTH", "TAG_LENGTH", "TAG_LIMIT"];
const ofLimits = [
  ...sizes.map((name) => [`${name}_LIMIT`, "10GiB"]),
  ...[...counts, "JOB_LIMIT", "STAGE_LIMIT"].map((name) => [name, "65536"]),
];

/** @type {CounterCheck[]} */
export const counterChecks = [
  {
    file: gateway("limits"),
    settings: Object.fromEntries(ofLimits),
    fails: ofLimits.map(([name]) => `${name} refuses`),
  },
  {
    file: gateway("quotas"),
    settings: { ...Object.fromEntries(quotas), OBJECT_QUOTA: "0", IMAGE_QUOTA: "0" },
    fails: [
      ...["namespaces", "namespaces on the fly", "namespaces of a build", "tokens", "webhooks", "repositories"],
      ...["cron jobs", "images", "objects", "variables", "keys"],
    ]
      .map((what) => `as the API describes it: ${what}`)
      .concat("one invite too many", "beyond the quota of objects", "beyond the quota of images"),
  },
  {
    file: gateway("fairness"),
    settings: {
      REQUESTS_AT_ONCE: "0",
      UPLOADS_AT_ONCE: "0",
      ANONYMOUS_REQUESTS_PER_MINUTE: "0",
      REQUESTS_PER_MINUTE: "0",
    },
    fails: [
      "requests wait for an unfinished one",
      "uploads wait for an unfinished one",
      "how many requests a token",
      "an address without a token",
    ],
  },
  { file: gateway("downloads"), settings: { DOWNLOADS_AT_ONCE: "0" }, fails: ["downloads wait for unread ones"] },
  {
    file: gateway("hook-bodies.long"),
    settings: { HOOK_BODIES: "0", HOOK_BODY_LIMIT: "8MiB", HOOK_BODY_TIMEOUT: "1h" },
    fixed: { "least of a JSON, form or hook body that must arrive every ten seconds": 0 },
    fails: ["declared too large", "a body that never ends"],
    hangs: true,
  },
  {
    file: gateway("complaints"),
    settings: { COMMENT_LENGTH: "100000000", SCOPE_LENGTH: "100000000" },
    fixed: {
      "characters of a request that one message repeats": much,
      "characters of one message of a response": much,
      "messages in a response": much,
      "all messages of a response, as JSON": much,
      "entries of a list, and of an object, in a request": much,
    },
    fails: ["a scope of 70,000", "a manifest's namespace", "3,000 unknown events", "a visibility", "a comment has"],
  },
  {
    file: gateway("forms"),
    fixed: { "fields of a form, or of the query of an upload": much, "characters of the Content-Type of a form": much },
    fails: ["and one of more is refused urlencoded", "and one of more is refused multipart", "a boundary far longer"],
  },
  {
    file: gateway("nesting"),
    fixed: { "levels of a JSON body": much },
    fails: ["POST /builds refuses 200000", "32 levels are read"],
  },
  {
    file: "services/builds/src/git/limits.test.ts",
    fixed: { "objects that are read of a repository for one commit": much },
    fails: ["a commit of 2,000,000 objects"],
  },
  {
    file: "services/builds/test/repositories/fork-limits.test.ts",
    fixed: {
      "builds of forks that wait for approval in one repository": much,
      "records of builds of forks that wait for approval in one repository": much,
      "builds that forks make in one repository within 24 hours and that no member has approved": much,
    },
    fails: ["at most 500 builds", "at the same moment", "at most 32 MiB", "at most 1,000 builds a day"],
  },
  {
    file: "services/builds/test/nats-away.long.test.ts",
    fixed: {
      "events of one build that wait for NATS; each counts as its text plus 400 bytes": much,
      "events of one record that wait for NATS; each counts as its text plus 400 bytes": much,
    },
    fails: ["a build with a large manifest ends", "a cron job with a large manifest"],
  },
  {
    file: "libs/manifest/src/yaml.test.ts",
    fixed: { "levels of a manifest": much },
    fails: ["with deeply nested"],
  },
  {
    file: "services/builds/test/followers.long.test.ts",
    fixed: { "one message of output to a follower": much },
    fails: ["a follower gets small pieces"],
  },
];

/** Settings that refuse something, and whose tests are elsewhere: they set the value for the code that they test. */
export const otherwise = {
  ARTIFACT_QUOTA: "services/builds/test/queue/artifact-quota.test.ts",
  BUILD_TIMEOUT: "services/runner/test/build.test.ts",
  PREPARE_TIMEOUT: "services/runner/test/build.test.ts",
  LEASE_RETURNS: "services/builds/test/requeue-lost.test.ts",
  DOWNLOAD_REDIRECTS: "services/images/test/hostile-urls.test.ts",
  DOWNLOAD_STALL: "services/images/test/download-images.test.ts",
  DOWNLOAD_TIMEOUT: "services/images/test/download-images.test.ts",
  DOCKER_MEMORY: "services/runner/test/last-line.test.ts",
  DOCKER_DISK: "services/runner/test/docker-disk.long.test.ts",
  DOCKER_FILES: "services/runner/test/docker-disk.long.test.ts",
  QEMU_DISK: "services/runner/test/qemu-disk.long.test.ts",
  DOCKER_PULL_LIMIT: "services/runner/test/docker-refused.long.test.ts",
  DOCKER_SERVICE_READY: "services/runner/test/docker-services.long.test.ts",
  CLONE_LIMIT: "services/runner/test/clone.test.ts",
  STREAMS_PER_USER: "services/gateway/test/streams-per-user.test.ts",
};
