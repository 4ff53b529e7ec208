import type { Nudge } from "@ci/kit/mongo/outbox";
import type { Db } from "mongodb";
import type { KeyDoc } from "../domain/key.js";
import { scopedStore } from "./scoped.js";

export const keyStore = (db: Db, nudge: Nudge) => scopedStore(db.collection<KeyDoc>("keys"), "name", "-", nudge);

export type KeyStore = ReturnType<typeof keyStore>;
