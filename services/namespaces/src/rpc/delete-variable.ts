import type { Context } from "../context.js";
import { variableChanged } from "../resource-events.js";
import type { VariableHandlers } from "../resource-parts.js";
import { toVariable } from "../secret.js";
import { removeRecord } from "./see-record.js";

export const deleteVariable =
  (ctx: Context): VariableHandlers["deleteVariable"] =>
  async ({ id }, { caller }) => {
    await removeRecord(ctx, ctx.variables, id, caller, (act, doc) =>
      variableChanged(act, "deleted", toVariable(ctx.keyring, doc)),
    );
    return {};
  };
