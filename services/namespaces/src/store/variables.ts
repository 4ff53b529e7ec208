import type { Collection, Db } from "mongodb";
import type { VariableDoc } from "../domain/variable.js";
import { scopedStore } from "./scoped.js";

/** The variables. */
export const variableStore = (db: Db, news: (collection: Collection<never>, id: number) => void) => {
  const variables = db.collection<VariableDoc>("variables");
  return scopedStore(variables, "key", "_", news);
};

export type VariableStore = ReturnType<typeof variableStore>;
