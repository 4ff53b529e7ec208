import { nextId } from "@ci/kit/mongo/ids";
import { invalid } from "@ci/kit/rpc/fault";
import { refuse } from "@ci/kit/rpc/refuse";
import type { Context } from "../context.js";
import { type VariableDoc, variableKeyComplaints, variableValueComplaints } from "../domain/variable.js";
import { findSite, makeSite, takenAt } from "../place.js";
import { variableChanged } from "../resource-events.js";
import type { VariableHandlers } from "../resource-parts.js";
import { sealFor, toVariable } from "../secret.js";
import { userOf } from "./see.js";

const taken = "Key already exists";

export const createVariable =
  (ctx: Context): VariableHandlers["createVariable"] =>
  async ({ namespace, key, value, mask }, { caller }) => {
    const userId = userOf(caller);
    const site = await findSite(ctx, namespace, userId);
    refuse({
      namespace: site.complaints,
      key: [...variableKeyComplaints(key), ...(await takenAt(ctx.variables, site, key, taken))],
      value: variableValueComplaints(value, mask),
    });
    const place = await makeSite(ctx, namespace, userId);
    const id = await nextId(ctx.db, "variables");
    const at = ctx.now();
    const secret = sealFor(ctx.keyring, "variable", id, value);
    const doc: VariableDoc = { _id: id, ...place, key, masked: mask, createdAt: at, ...secret, outbox: [] };
    const variable = toVariable(ctx.keyring, doc);
    const event = variableChanged({ at, actorId: userId }, "created", variable);
    if (!(await ctx.variables.insert({ ...doc, outbox: [event] }))) throw invalid({ key: [taken] });
    ctx.deletions.created({ namespaceId: place.namespaceId });
    return { variable };
  };
