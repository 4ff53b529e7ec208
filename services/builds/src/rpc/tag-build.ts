import { nextIds } from "@ci/kit/mongo/ids";
import { complain, validated } from "@ci/kit/rpc/validated";
import type { QueuePlace } from "@ci/proto/builds/v1/builds";
import { queuePlacesById, withQueuePlace } from "../actions/queue/queue-places.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { applyChange, buildEvent, type Change, requireEventRoom } from "../domain/change.js";
import { addedTags } from "../domain/tags.js";

interface Tagging {
  readonly queue?: QueuePlace;
  readonly names: readonly string[];
  readonly userId: number;
  readonly firstId: number;
  readonly at: Date;
}

function addTags(doc: BuildDoc, { names, userId, firstId, at, queue }: Tagging): Change {
  const added = names.map((name, index) => ({ id: firstId + index, userId, buildId: doc._id, name, createdAt: at }));
  const set = { tags: [...doc.tags, ...added], seq: doc.seq + 1 };
  const event = buildEvent(applyChange(doc, { set }), "build.tagged", at, {
    actorId: userId,
    queue,
    body: (build) => ({ $case: "buildTagged", value: { build, tags: names, userId } }),
  });
  return { set, events: [event] };
}

export const tagBuild = (ctx: Context): Handlers["tagBuild"] =>
  validated(async ({ ref, names: given }, { caller }) => {
    const found = await seeBuild(ctx, caller, ref, [], "write");
    const namesFor = ({ tags }: Pick<BuildDoc, "tags">) =>
      addedTags(
        given,
        tags.map((tag) => tag.name),
        ctx.config,
      );
    return {
      complaints: { tags: namesFor(found).complaints },
      async change() {
        const [ids, places] = await Promise.all([
          nextIds(ctx.db, "ids", { tag: Math.max(1, given.length) }),
          queuePlacesById(ctx, [found]),
        ]);
        let names: string[] = [];
        const doc = await ctx.builds.change(found._id, (build) => {
          const added = namesFor(build);
          complain({ tags: added.complaints });
          names = added.names;
          if (names.length === 0) return undefined;
          requireEventRoom(build);
          const queue = places.get(build._id);
          return addTags(build, { names, userId: caller.userId!, firstId: ids.tag, at: ctx.now(), queue });
        });
        return { tags: doc.tags.filter((tag) => names.includes(tag.name)), build: await withQueuePlace(ctx, doc) };
      },
    };
  });
