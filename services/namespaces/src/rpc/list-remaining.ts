import type { BuildInputHandlers, Context } from "../context.js";

export const listRemaining =
  ({ objects, variables, keys }: Context): BuildInputHandlers["listRemaining"] =>
  async (request) => {
    const [objectIds, variableIds, keyIds] = await Promise.all([
      objects.remaining(request.objectIds),
      variables.remaining(request.variableIds),
      keys.remaining(request.keyIds),
    ]);
    return { objectIds, variableIds, keyIds };
  };
