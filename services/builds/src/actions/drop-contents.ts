import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { applyChange, type Change } from "../domain/change.js";
import type { Decide } from "../store/build-writer.js";

const blobIdsOf = ({ artifacts }: BuildDoc): string[] => artifacts.flatMap(({ blobId }) => blobId ?? []);

function droppedBy(doc: BuildDoc, change: Change): string[] {
  const kept = new Set(blobIdsOf(applyChange(doc, change)));
  return blobIdsOf(doc).filter((blobId) => !kept.has(blobId));
}

type Stores = Pick<Context, "builds" | "contents">;

/** Changes a build. Returns also the blobs it no longer refers to, which are released for the sweep but not yet deleted. */
export async function changeAndRelease(
  { builds, contents }: Stores,
  id: number,
  decide: Decide,
): Promise<{ doc: BuildDoc; dropped: readonly string[] }> {
  const released = new Set<string>();
  for (;;) {
    const found = await builds.current(id);
    const wanted = decide(found);
    const more = wanted ? droppedBy(found, wanted).filter((blobId) => !released.has(blobId)) : [];
    await contents.release(...more);
    for (const blobId of more) released.add(blobId);
    let dropped: string[] = [];
    const isReleased = () => dropped.every((blobId) => released.has(blobId));
    const decideAgain = (read: BuildDoc) => {
      const change = decide(read);
      dropped = change ? droppedBy(read, change) : [];
      return isReleased() ? change : undefined;
    };
    const doc = await builds.change(id, decideAgain, found);
    if (isReleased()) return { doc, dropped };
  }
}

/** Changes a build unless `drops` returns true for it. Then calls `changeAndDrop`, which needs the whole record. */
export async function changeOrDrop(stores: Stores, id: number, decide: Decide, drops: (doc: BuildDoc) => boolean) {
  let isDropping = false;
  const doc = await stores.builds.change(id, (read) => {
    isDropping = drops(read);
    return isDropping ? undefined : decide(read);
  });
  return isDropping ? changeAndDrop(stores, id, decide) : doc;
}

/** Changes a build and deletes the blobs it no longer refers to. */
export async function changeAndDrop(stores: Stores, id: number, decide: Decide): Promise<BuildDoc> {
  const { doc, dropped } = await changeAndRelease(stores, id, decide);
  for (const blobId of dropped) await stores.contents.delete(blobId).catch(() => undefined);
  return doc;
}
