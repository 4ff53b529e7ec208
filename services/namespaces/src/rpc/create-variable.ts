import { nextId } from "@ci/kit/mongo/ids";
import { userOf } from "@ci/kit/rpc/caller";
import { invalid } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { encryptSecret, toVariable } from "../actions/secrets.js";
import { createSite, findSite, quotaComplaintsAt, takenAt } from "../actions/site.js";
import type { Context, VariableHandlers } from "../context.js";
import { variableChanged } from "../domain/events.js";
import { type VariableDoc, variableKeyComplaints, variableValueComplaints } from "../domain/variable.js";

const taken = "Key already exists";

export const createVariable = (ctx: Context): VariableHandlers["createVariable"] =>
  validated(async ({ namespace, key, value, mask }, { caller }) => {
    const userId = userOf(caller);
    const site = await findSite(ctx, namespace, userId);
    return {
      complaints: {
        ...(await quotaComplaintsAt(ctx.variables, site)),
        namespace: site.complaints,
        key: [...variableKeyComplaints(key), ...(await takenAt(ctx.variables, site, key, taken))],
        value: variableValueComplaints(value, mask),
      },
      async change() {
        const place = await createSite(ctx, namespace, userId);
        const id = await nextId(ctx.db, "variables");
        const at = ctx.now();
        const secret = encryptSecret(ctx.config.keyring, "variable", id, value);
        const doc: VariableDoc = { _id: id, ...place, key, masked: mask, createdAt: at, ...secret, outbox: [] };
        const variable = toVariable(ctx.config.keyring, doc);
        const event = variableChanged({ at, actorId: userId }, "created", variable);
        if (!(await ctx.variables.insert({ ...doc, outbox: [event] }))) throw invalid({ key: [taken] });
        ctx.deletions.created({ namespaceId: place.namespaceId });
        return { variable };
      },
    };
  });
