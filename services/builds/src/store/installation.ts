import { randomBytes } from "node:crypto";
import { duplicateKey } from "@ci/kit/mongo/duplicates";
import type { Db } from "mongodb";

interface InstallationDoc {
  _id: "installation";
  id: string;
}

/** Returns the id of this installation, which the first call creates. It lives as long as the data. */
export async function installationId(db: Db): Promise<string> {
  const installations = db.collection<InstallationDoc>("installation");
  const make = () =>
    installations.findOneAndUpdate(
      { _id: "installation" },
      { $setOnInsert: { id: randomBytes(8).toString("hex") } },
      { upsert: true, returnDocument: "after" },
    );
  // If two inserts run concurrently, one of them fails. Then the document exists.
  const doc = await make().catch((error) => {
    if (duplicateKey(error)) return make();
    throw error;
  });
  return doc!.id;
}
