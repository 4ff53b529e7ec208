import type { Context } from "./context.js";
import type { BuildDoc } from "./domain/build.js";
import { applied, type Change } from "./domain/change.js";

const contentsOf = ({ artifacts }: BuildDoc): string[] => artifacts.flatMap(({ blobId }) => blobId ?? []);

/** What the artifacts of a build refer to before a change and no longer after it. */
function droppedBy(doc: BuildDoc, change: Change): string[] {
  const kept = new Set(contentsOf(applied(doc, change)));
  return contentsOf(doc).filter((blobId) => !kept.has(blobId));
}

/**
 * Changes a build, and deletes the contents that its artifacts no longer refer to. A content is released before the
 * write that drops it: after a crash the sweep finds it. What others collect in between is part of the next attempt.
 */
export async function changeAndDrop(
  { builds, artifacts }: Pick<Context, "builds" | "artifacts">,
  id: number,
  decide: (doc: BuildDoc) => Change | undefined,
): Promise<BuildDoc> {
  const released = new Set<string>();
  for (;;) {
    let dropped: string[] = [];
    const isReleased = () => dropped.every((blobId) => released.has(blobId));
    const doc = await builds.change(id, (read) => {
      const change = decide(read);
      dropped = change ? droppedBy(read, change) : [];
      return isReleased() ? change : undefined;
    });
    if (isReleased()) {
      // Should this fail, the sweep does it.
      for (const blobId of dropped) await artifacts.delete(blobId).catch(() => undefined);
      return doc;
    }
    for (const blobId of dropped) {
      await artifacts.release(blobId);
      released.add(blobId);
    }
  }
}
