import type { Context } from "../context.js";
import { toKey } from "../domain/key.js";
import type { KeyHandlers } from "../resource-parts.js";
import { seeRecord } from "./see-record.js";

export const getKey =
  (ctx: Context): KeyHandlers["getKey"] =>
  async ({ id }, { caller }) => ({ key: toKey(await seeRecord(ctx, ctx.keys, id, caller, "view")) });
