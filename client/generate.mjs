// `npm run client`: writes the types of the API from the gateway's description. Needs a built tree.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = join(import.meta.dirname, "src/gen/openapi.ts");
const banner = "// Generated from the API's description by `npm run client`. Do not edit.\n";

/** Settings without a default. The types depend on none of them. */
const settings = {
  PUBLIC_URL: "https://ci.example.com",
  MONGO_URL: "mongodb://127.0.0.1",
  NATS_URL: "nats://127.0.0.1",
  BUILDS_ADDR: "127.0.0.1:1",
  IMAGES_ADDR: "127.0.0.1:1",
  NAMESPACES_ADDR: "127.0.0.1:1",
  WEBHOOKS_ADDR: "127.0.0.1:1",
  TLS_CERT: "a",
  TLS_KEY: "a",
  TLS_CA: "a",
};

/** Returns the generated types. @returns {Promise<string>} */
const types = async () => {
  const [{ readConfig }, { describe }, { groups, routes }, { default: typesOf, astToString }] = await Promise.all([
    import("@ci/gateway/config"),
    import("@ci/gateway/openapi/describe"),
    import("@ci/gateway/routes"),
    import("openapi-typescript"),
  ]);
  const description = describe(routes, groups, readConfig(settings));
  return banner + astToString(await typesOf(/** @type {any} */ (description), { alphabetize: true }));
};

/** Returns what is wrong with the generated types, if anything. @returns {Promise<string | undefined>} */
export const checkTypes = async () =>
  readFileSync(file, "utf8") === (await types()) ? undefined : "client/src/gen/openapi.ts is out of date";

if (process.argv[1] === import.meta.filename) writeFileSync(file, await types());
