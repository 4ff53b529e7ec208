import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { applyChange, type Change } from "../domain/change.js";

const blobIdsOf = ({ artifacts }: BuildDoc): string[] => artifacts.flatMap(({ blobId }) => blobId ?? []);

function droppedBy(doc: BuildDoc, change: Change): string[] {
  const kept = new Set(blobIdsOf(applyChange(doc, change)));
  return blobIdsOf(doc).filter((blobId) => !kept.has(blobId));
}

/** Changes a build and deletes the blobs it no longer refers to. Releases them first, for the sweep after a crash. */
export async function changeAndDrop(
  { builds, artifacts }: Pick<Context, "builds" | "artifacts">,
  id: number,
  decide: (doc: BuildDoc) => Change | undefined,
): Promise<BuildDoc> {
  const released = new Set<string>();
  for (;;) {
    const found = await builds.byId(id);
    const wanted = decide(found);
    for (const blobId of wanted ? droppedBy(found, wanted) : []) {
      if (!released.has(blobId)) await artifacts.release(blobId);
      released.add(blobId);
    }
    let dropped: string[] = [];
    const isReleased = () => dropped.every((blobId) => released.has(blobId));
    const decideAgain = (read: BuildDoc) => {
      const change = decide(read);
      dropped = change ? droppedBy(read, change) : [];
      return isReleased() ? change : undefined;
    };
    const doc = await builds.change(id, decideAgain, found);
    if (!isReleased()) continue;
    for (const blobId of dropped) await artifacts.delete(blobId).catch(() => undefined);
    return doc;
  }
}
