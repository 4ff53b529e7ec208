import { listRecords } from "../actions/records.js";
import { toVariable } from "../actions/secrets.js";
import type { Context, VariableHandlers } from "../context.js";

export const listVariables =
  (ctx: Context): VariableHandlers["listVariables"] =>
  async (request, { caller }) => {
    const { items, page } = await listRecords(ctx, ctx.variables, request, caller);
    return { variables: items.map((doc) => toVariable(ctx.config.keyring, doc)), page };
  };
