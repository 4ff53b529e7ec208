import { nextIds } from "@ci/kit/mongo/ids";
import { refuse } from "@ci/kit/rpc/refuse";
import type { QueuePlace } from "@ci/proto/builds/v1/builds";
import type { Context, Handlers } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { applied, buildEvent, type Change } from "../domain/change.js";
import { addedTags } from "../domain/tags.js";
import { queuePlaces, shown } from "../places.js";
import { seeBuild } from "./see.js";

interface Tagging {
  readonly queue?: QueuePlace;
  readonly names: readonly string[];
  readonly userId: number;
  readonly firstId: number;
  readonly at: Date;
}

/** The build with the new tags, and the event that names them. */
function tagged(doc: BuildDoc, { names, userId, firstId, at, queue }: Tagging): Change {
  const added = names.map((name, index) => ({ id: firstId + index, userId, buildId: doc._id, name, createdAt: at }));
  const set = { tags: [...doc.tags, ...added], seq: doc.seq + 1 };
  const event = buildEvent(applied(doc, { set }), "build.tagged", at, {
    actorId: userId,
    queue,
    body: (build) => ({ $case: "buildTagged", value: { build, tags: names, userId } }),
  });
  return { set, events: [event] };
}

export const tagBuild =
  (ctx: Context): Handlers["tagBuild"] =>
  async ({ ref, names: given }, { caller }) => {
    const seen = await seeBuild(ctx, caller, ref, "write");
    const [ids, places] = await Promise.all([
      nextIds(ctx.db, "ids", { tag: Math.max(1, given.length) }),
      queuePlaces(ctx, [seen]),
    ]);
    let names: string[] = [];
    const doc = await ctx.builds.change(seen._id, (build) => {
      const added = addedTags(
        given,
        build.tags.map((tag) => tag.name),
        ctx.config,
      );
      refuse({ tags: added.complaints });
      names = added.names;
      if (names.length === 0) return undefined;
      const queue = places.get(build._id);
      return tagged(build, { names, userId: caller.userId!, firstId: ids.tag, at: ctx.now(), queue });
    });
    return { tags: doc.tags.filter((tag) => names.includes(tag.name)), build: await shown(ctx, doc) };
  };
