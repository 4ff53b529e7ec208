import { removeRecord } from "../actions/records.js";
import { toVariable } from "../actions/secrets.js";
import type { Context, VariableHandlers } from "../context.js";
import { variableChanged } from "../domain/events.js";

export const deleteVariable =
  (ctx: Context): VariableHandlers["deleteVariable"] =>
  async ({ id }, { caller }) => {
    const { namespaceId } = await removeRecord(ctx, ctx.variables, id, caller, (act, doc) =>
      variableChanged(act, "deleted", toVariable(ctx.config.keyring, doc)),
    );
    return { namespaceId };
  };
