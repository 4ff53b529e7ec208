// Configures the checks of Schemathesis and the values that lead to existing records. hooks.py inserts the values of
// path parameters, because Schemathesis uses its dictionaries only in some phases.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { aManifest, hookSecret, privateKey } from "./seeds.mjs";

/** @typedef {import("./seeds.mjs").Seeds} Seeds */
/** @typedef {{ responses: Record<string, { content?: Record<string, unknown> }>, parameters: { name: string, in: string }[] }} Operation */
/** @typedef {{ paths: Record<string, Record<string, Operation>> }} Description */

/** The share of values that lead to existing records. The fuzzer makes up the others. */
const knownShare = 0.6;
/** Time limits: for a response, and for reading an endless stream. */
const answerSeconds = 30;
const streamSeconds = 2;

const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "unsupported_method",
  "allow_header_conformance",
  "ignored_auth",
];

/**
 * Returns values for query parameters and body fields, by `query.` or `body.` and name.
 * @param {Seeds} seeds
 * @returns {Record<string, unknown[]>}
 */
const words = ({ name, username, collaborator, children, guests }) => ({
  "query.search": ["s", name, "%", "\\"],
  "query.tag": ["seed"],
  "body.manifest": [
    aManifest({ namespace: name }),
    aManifest({ namespace: `${name}@${username}`, allow_failures: ["test"] }),
    aManifest({ driver: { type: "qemu", image: "none" }, sources: ["https://example.com/some.git main => there"] }),
    aManifest({ driver: { type: "docker" }, env: ["=", 1], objects: [".."] }),
    "a: [",
  ],
  "body.namespace": [name, `${name}@${username}`, `${name}/new`, "a@nobody"],
  "body.parent": [name, children[0]],
  "body.name": Array.from({ length: 200 }, (_, n) => `${name}new${n}`),
  "body.key": [privateKey, ...Array.from({ length: 50 }, (_, n) => `${name}_${n}`)],
  "body.value": ["a value of some length"],
  "body.schedule": ["daily", "weekly", "monthly"],
  "body.visibility": ["private", "internal", "public"],
  "body.scope": ["build:read", "build:read,write image:*", "user:write"],
  "body.expires_at": ["2100-01-01T00:00:00Z", "2000-01-01T00:00:00+01:00"],
  "body.handle": [...guests, collaborator, username],
  "body.username": Array.from({ length: 100 }, (_, n) => `${name}user${n}`),
  "body.email": Array.from({ length: 100 }, (_, n) => `${name}user${n}@example.com`),
  "body.payload_url": ["http://127.0.0.1/", ...Array.from({ length: 50 }, (_, n) => `https://example.com/${name}${n}`)],
  "body.download_url": ["http://127.0.0.1/disk", "sftp://user:password@127.0.0.1/disk", "ftp://example.com/"],
  "body.provider": ["github", "gitlab", "gitea"],
  "body.url": Array.from({ length: 50 }, (_, n) => `https://example.com/${name}new${n}.git`),
});

/**
 * Returns values for path parameters, by the beginning of the path. `kept` may be read and changed, `spare` may be
 * deleted. Later entries take precedence.
 * @param {Seeds} seeds
 * @returns {[start: string, name: string, kept: unknown[], spare?: unknown[]][]}
 */
const inPaths = (seeds) => {
  const { username, name, children, guests, collaborator, build, deliveries } = seeds;
  const hook = "/n/{username}/{path}/-/webhooks/{id}";
  /** @param {string} start @param {unknown[]} all @param {string} [parameter] @returns {[string, string, unknown[], unknown[]]} */
  const kept = (start, [first, ...spare], parameter = "id") => [start, parameter, [first], spare];
  return [
    ["/n/", "username", [username]],
    ["/n/", "path", [name, children[0]], children.slice(1)],
    ["/b/", "user", [username]],
    ["/b/", "number", [build]],
    kept("/users/{username}", guests, "username"),
    kept("/objects/{id}", seeds.objects),
    kept("/images/{id}", seeds.images),
    kept("/variables/{id}", seeds.variables),
    kept("/keys/{id}", seeds.keys),
    kept("/cron/{id}", seeds.crons),
    kept("/tokens/{id}", seeds.tokens),
    kept("/invites/{id}", seeds.invites),
    kept(hook, seeds.webhooks),
    [`${hook}/deliveries`, "delivery", deliveries],
    kept("/n/{username}/{path}/-/repositories/{id}", seeds.repositories),
    ["/hooks/", "id", [seeds.repositories[0]]],
    ["/hooks/", "provider", ["gitlab"]],
    ["/n/{username}/{path}/-/collaborators/{user}", "user", [collaborator]],
    ["/b/{user}/{number}/jobs/{name}", "name", ["create-driver", "test.1"]],
    ["/b/{user}/{number}/artifacts/{name}", "name", ["some/out.txt"]],
    ["/b/{user}/{number}/tags/{name}", "name", ["seed"], ["a/b"]],
  ];
};

/**
 * Returns for hooks.py the values of each parameter of each operation, and the values that are forbidden. Every round
 * needs its records. Without the fuzzer's own user and tokens, every response would be 401.
 * @param {Description} description
 * @param {Seeds} seeds
 * @param {Record<string, unknown[]>} protectedIds the fuzzer's own user and tokens, by path
 */
export const knownPaths = ({ paths }, seeds, protectedIds) => {
  const all = inPaths(seeds);
  const valuesFor = (/** @type {string} */ path, /** @type {string} */ method) => {
    const fitting = all.filter(([start]) => path.startsWith(start));
    // DELETE removes the last record of the path.
    const isRemoved = (/** @type {string} */ name) => method === "delete" && path.endsWith(`{${name}}`);
    return fitting.map(([, name, kept, spare = kept]) => {
      const forbidden = spare === kept ? [] : [...kept, ...(protectedIds[path] ?? [])];
      return [name, isRemoved(name) ? [spare, forbidden.map(String)] : [kept, []]];
    });
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [
      `${method.toUpperCase()} ${path}`,
      Object.fromEntries(valuesFor(path, method)),
    ]),
  );
  return { share: knownShare, paths: Object.fromEntries(operations) };
};

/** Returns an inline table. Strings, numbers and lists look as in JSON. @param {object} table @returns {string} */
const inline = (table) =>
  `{ ${Object.entries(table)
    .map(
      ([key, value]) =>
        `${JSON.stringify(key)} = ${value instanceof Object && !Array.isArray(value) ? inline(value) : JSON.stringify(value)}`,
    )
    .join(", ")} }`;

/**
 * @param {string} accept
 * @param {string} path
 */
const headersOf = (accept, path) => ({
  Accept: accept,
  // These headers make the service accept the request as the provider's and read its body.
  ...(path.startsWith("/hooks/") ? { "X-Gitlab-Token": hookSecret, "X-Gitlab-Event": "Push Hook" } : {}),
  // Read the stream from its beginning, where events exist.
  ...(path.endsWith("/events") ? { "Last-Event-ID": "0" } : {}),
});

/** Returns an operation's media types, which take turns. @param {Operation} operation */
const mediaOf = ({ responses }) => {
  const media = Object.keys(responses["200"]?.content ?? {});
  // The content of an object has its own type.
  return media.length > 0 ? media.map((type) => (type === "*/*" ? "text/plain; charset=utf-8" : type)) : ["*/*"];
};

/**
 * Returns the configuration of one round.
 * @param {Description} description
 * @param {Seeds} seeds
 * @param {number} round
 * @returns {string} TOML
 */
export const configOf = ({ paths }, seeds, round) => {
  const dictionaries = /** @type {Record<string, { values: unknown[] }>} */ ({});
  const known = (/** @type {unknown[]} */ values) => {
    const dictionary = `d${Object.keys(dictionaries).length}`;
    dictionaries[dictionary] = { values };
    return { dictionary, probability: knownShare };
  };
  const everywhere = Object.entries(words(seeds)).map(([name, values]) => [name, known(values)]);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const media = mediaOf(operation);
      const accept = media[round % media.length];
      return [
        "[[operations]]",
        `include-name = ${JSON.stringify(`${method.toUpperCase()} ${path}`)}`,
        `headers = ${inline(headersOf(accept, path))}`,
        ...(accept === "text/event-stream" ? [`request-timeout = ${streamSeconds}`, "max-stream-events = 10"] : []),
      ].join("\n");
    }),
  );
  return [
    `hooks = ${JSON.stringify(join(dirname(fileURLToPath(import.meta.url)), "hooks.py"))}`,
    `request-timeout = ${answerSeconds}`,
    "warnings = false",
    `parameters = ${inline(Object.fromEntries(everywhere))}`,
    `dictionaries = ${inline(dictionaries)}`,
    "[checks]",
    "enabled = false",
    ...checks.map((name) => `${name}.enabled = true`),
    ...operations,
    "",
  ].join("\n");
};
