import type { Collection, Db } from "mongodb";
import type { KeyDoc } from "../domain/key.js";
import { scopedStore } from "./scoped.js";

/** The SSH keys. */
export const keyStore = (db: Db, news: (collection: Collection<never>, id: number) => void) => {
  const keys = db.collection<KeyDoc>("keys");
  return scopedStore(keys, "name", "-", news);
};

export type KeyStore = ReturnType<typeof keyStore>;
