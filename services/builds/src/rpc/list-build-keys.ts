import { pageOf } from "@ci/kit/rpc/page";
import { inRecordTurn } from "../actions/list-turns.js";
import { withQueuePlace } from "../actions/queue/queue-places.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { contains, sortedByName, toKey } from "../domain/records.js";

export const listBuildKeys =
  (ctx: Context): Handlers["listBuildKeys"] =>
  ({ ref, search, page: requested }, { caller, signal }) => {
    const read = async () => {
      const doc = await seeBuild(ctx, caller, ref, ["keys"]);
      const found = doc.keys.filter((key) => contains(key.name, search));
      const matching = sortedByName(found, (key) => key.name);
      const { items, page } = pageOf(matching, requested?.number);
      return { keys: items.map((key) => toKey(doc, key)), page, build: await withQueuePlace(ctx, doc) };
    };
    return inRecordTurn(caller.userId, read, signal);
  };
