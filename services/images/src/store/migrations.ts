import type { Migration } from "@ci/kit/mongo/migrate";
import { backfillTerms } from "@ci/kit/mongo/search";

export const migrations: readonly Migration[] = [
  { name: "images-terms", collection: "images", fills: backfillTerms("name"), retires: ["outbox"] },
];
