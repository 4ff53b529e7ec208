import type { Nudge } from "@ci/kit/mongo/outbox";
import { countQuota } from "@ci/kit/mongo/quota";
import type { Db } from "mongodb";
import type { Quotas } from "../config.js";
import type { KeyDoc } from "../domain/key.js";
import { scopedStore } from "./scoped.js";

export const keyStore = (db: Db, nudge: Nudge, limits: Quotas) => {
  const collection = db.collection<KeyDoc>("keys");
  const quotas = ({ scope }: { scope?: string }) => (scope ? [countQuota(collection, { scope }, limits.keys)] : []);
  return scopedStore({ db, collection, field: "name", suffix: "-", quotas }, nudge);
};

export type KeyStore = ReturnType<typeof keyStore>;
