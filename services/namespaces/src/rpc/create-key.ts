import { nextId } from "@ci/kit/mongo/ids";
import { userOf } from "@ci/kit/rpc/caller";
import { invalid } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { encryptSecret } from "../actions/secrets.js";
import { createSite, findSite, quotaComplaintsAt, takenAt } from "../actions/site.js";
import type { Context, KeyHandlers } from "../context.js";
import { keyChanged } from "../domain/events.js";
import {
  cleanKeyName,
  cleanPrivateKey,
  type KeyDoc,
  keyNameComplaints,
  privateKeyComplaints,
  toKey,
} from "../domain/key.js";

const taken = "Name already exists";

export const createKey = (ctx: Context): KeyHandlers["createKey"] =>
  validated(async (request, { caller }) => {
    const userId = userOf(caller);
    const name = cleanKeyName(request.name);
    const site = await findSite(ctx, request.namespace, userId);
    return {
      complaints: {
        ...(await quotaComplaintsAt(ctx.keys, site)),
        namespace: site.complaints,
        name: [...keyNameComplaints(name), ...(await takenAt(ctx.keys, site, name, taken))],
        key: privateKeyComplaints(request.privateKey),
      },
      async change() {
        const place = await createSite(ctx, request.namespace, userId);
        const id = await nextId(ctx.db, "keys");
        const at = ctx.now();
        const secret = encryptSecret(ctx.config.keyring, "key", id, cleanPrivateKey(request.privateKey));
        const record = { _id: id, ...place, name, config: request.config, createdAt: at, updatedAt: at };
        const doc: KeyDoc = { ...record, ...secret, outbox: [] };
        const event = keyChanged({ at, actorId: userId }, "created", toKey(doc));
        if (!(await ctx.keys.insert({ ...doc, outbox: [event] }))) throw invalid({ name: [taken] });
        ctx.deletions.created({ namespaceId: place.namespaceId });
        return { key: toKey(doc) };
      },
    };
  });
