import type { Migration } from "@ci/kit/mongo/migrate";
import { backfillTerms } from "@ci/kit/mongo/search";

/** What databases of earlier versions lack. */
export const migrations: readonly Migration[] = [
  { name: "images-terms", collection: "images", fills: backfillTerms("name"), retires: ["outbox"] },
];
