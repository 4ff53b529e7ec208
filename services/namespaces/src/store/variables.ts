import type { Nudge } from "@ci/kit/mongo/outbox";
import type { Db } from "mongodb";
import type { VariableDoc } from "../domain/variable.js";
import { scopedStore } from "./scoped.js";

export const variableStore = (db: Db, nudge: Nudge) =>
  scopedStore(db.collection<VariableDoc>("variables"), "key", "_", nudge);

export type VariableStore = ReturnType<typeof variableStore>;
