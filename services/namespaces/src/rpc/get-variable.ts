import { seeRecord } from "../actions/records.js";
import { toVariable } from "../actions/secrets.js";
import type { Context, VariableHandlers } from "../context.js";

export const getVariable =
  (ctx: Context): VariableHandlers["getVariable"] =>
  async ({ id }, { caller }) => ({
    variable: toVariable(ctx.config.keyring, await seeRecord(ctx, ctx.variables, id, caller, "view")),
  });
