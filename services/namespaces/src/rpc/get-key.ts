import { seeRecord } from "../actions/records.js";
import type { Context, KeyHandlers } from "../context.js";
import { toKey } from "../domain/key.js";

export const getKey =
  (ctx: Context): KeyHandlers["getKey"] =>
  async ({ id }, { caller }) => ({ key: toKey(await seeRecord(ctx, ctx.keys, id, caller, "view")) });
