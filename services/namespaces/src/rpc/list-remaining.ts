import type { Context } from "../context.js";
import type { BuildInputHandlers } from "../resource-parts.js";

export const listRemaining =
  ({ objects, variables, keys }: Context): BuildInputHandlers["listRemaining"] =>
  async (ask) => {
    const [objectIds, variableIds, keyIds] = await Promise.all([
      objects.remaining(ask.objectIds),
      variables.remaining(ask.variableIds),
      keys.remaining(ask.keyIds),
    ]);
    return { objectIds, variableIds, keyIds };
  };
