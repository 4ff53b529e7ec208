import type { Db } from "mongodb";

/** Throws if a database has no collections. Services create theirs at startup, so no service uses such a database. */
export async function refuseUnused(db: Db): Promise<void> {
  if (await db.listCollections({}, { nameOnly: true }).hasNext()) return;
  throw new Error(
    `The database ${db.databaseName} has no collections, so no service uses it: check MONGO_URL, and MONGO_DB if the services have one`,
  );
}
