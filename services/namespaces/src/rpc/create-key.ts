import { nextId } from "@ci/kit/mongo/ids";
import { invalid } from "@ci/kit/rpc/fault";
import { refuse } from "@ci/kit/rpc/refuse";
import type { Context } from "../context.js";
import {
  cleanKeyName,
  cleanPrivateKey,
  type KeyDoc,
  keyNameComplaints,
  privateKeyComplaints,
  toKey,
} from "../domain/key.js";
import { findSite, makeSite, takenAt } from "../place.js";
import { keyChanged } from "../resource-events.js";
import type { KeyHandlers } from "../resource-parts.js";
import { sealFor } from "../secret.js";
import { userOf } from "./see.js";

const taken = "Name already exists";

export const createKey =
  (ctx: Context): KeyHandlers["createKey"] =>
  async (ask, { caller }) => {
    const userId = userOf(caller);
    const name = cleanKeyName(ask.name);
    const site = await findSite(ctx, ask.namespace, userId);
    refuse({
      namespace: site.complaints,
      name: [...keyNameComplaints(name), ...(await takenAt(ctx.keys, site, name, taken))],
      key: privateKeyComplaints(ask.privateKey),
    });
    const place = await makeSite(ctx, ask.namespace, userId);
    const id = await nextId(ctx.db, "keys");
    const at = ctx.now();
    const secret = sealFor(ctx.keyring, "key", id, cleanPrivateKey(ask.privateKey));
    const record = { _id: id, ...place, name, config: ask.config, createdAt: at, updatedAt: at };
    const doc: KeyDoc = { ...record, ...secret, outbox: [] };
    const event = keyChanged({ at, actorId: userId }, "created", toKey(doc));
    if (!(await ctx.keys.insert({ ...doc, outbox: [event] }))) throw invalid({ name: [taken] });
    ctx.deletions.created({ namespaceId: place.namespaceId });
    return { key: toKey(doc) };
  };
