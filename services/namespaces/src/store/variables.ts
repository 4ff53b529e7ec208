import type { Nudge } from "@ci/kit/mongo/outbox";
import { countQuota } from "@ci/kit/mongo/quota";
import type { Db } from "mongodb";
import type { Quotas } from "../config.js";
import type { VariableDoc } from "../domain/variable.js";
import { scopedStore } from "./scoped.js";

export const variableStore = (db: Db, nudge: Nudge, limits: Quotas) => {
  const collection = db.collection<VariableDoc>("variables");
  const quotas = ({ scope }: { scope?: string }) =>
    scope ? [countQuota(collection, { scope }, limits.variables)] : [];
  return scopedStore({ db, collection, field: "key", suffix: "_", quotas }, nudge);
};

export type VariableStore = ReturnType<typeof variableStore>;
