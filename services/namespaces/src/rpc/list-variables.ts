import type { Context, VariableHandlers } from "../context.js";
import { toVariable } from "../actions/secrets.js";
import { listRecords } from "../actions/records.js";

export const listVariables =
  (ctx: Context): VariableHandlers["listVariables"] =>
  async (request, { caller }) => {
    const { items, page } = await listRecords(ctx, ctx.variables, request, caller);
    return { variables: items.map((doc) => toVariable(ctx.config.keyring, doc)), page };
  };
