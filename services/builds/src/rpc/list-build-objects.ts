import { pageOf } from "@ci/kit/rpc/page";
import { withQueuePlace } from "../actions/queue/queue-places.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { contains, toObject } from "../domain/records.js";

export const listBuildObjects =
  (ctx: Context): Handlers["listBuildObjects"] =>
  async ({ ref, search, page: requested }, { caller }) => {
    const doc = await seeBuild(ctx, caller, ref, ["objects"]);
    const matching = doc.objects.filter((object) => contains(object.name, search));
    const { items, page } = pageOf(matching, requested?.number);
    return { objects: items.map((object) => toObject(doc, object)), page, build: await withQueuePlace(ctx, doc) };
  };
