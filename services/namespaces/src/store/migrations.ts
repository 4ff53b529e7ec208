import type { Migration } from "@ci/kit/mongo/migrate";
import { backfillTerms } from "@ci/kit/mongo/search";

const searched = {
  users: "username",
  tokens: "name",
  namespaces: "path",
  objects: "name",
  variables: "key",
  keys: "name",
};
const others = ["memberships"];

/** Upgrades databases of earlier versions. */
export const migrations: readonly Migration[] = [
  ...Object.entries(searched).map(([collection, field]) => ({
    name: `${collection}-terms`,
    collection,
    fills: backfillTerms(field),
    retires: ["outbox"],
  })),
  ...others.map((collection) => ({ name: `${collection}-outbox`, collection, retires: ["outbox"] })),
];
