import type { Context } from "../context.js";
import type { VariableHandlers } from "../resource-parts.js";
import { toVariable } from "../secret.js";
import { seeRecord } from "./see-record.js";

export const getVariable =
  (ctx: Context): VariableHandlers["getVariable"] =>
  async ({ id }, { caller }) => ({
    variable: toVariable(ctx.keyring, await seeRecord(ctx, ctx.variables, id, caller, "view")),
  });
