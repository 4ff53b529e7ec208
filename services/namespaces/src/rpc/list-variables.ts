import type { Context } from "../context.js";
import type { VariableHandlers } from "../resource-parts.js";
import { toVariable } from "../secret.js";
import { listRecords } from "./see-record.js";

export const listVariables =
  (ctx: Context): VariableHandlers["listVariables"] =>
  async (ask, { caller }) => {
    const { items, page } = await listRecords(ctx, ctx.variables, ask, caller);
    return { variables: items.map((doc) => toVariable(ctx.keyring, doc)), page };
  };
