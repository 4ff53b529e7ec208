import { goneElsewhere } from "@ci/kit/rpc/rpc";
import { continuationBytes, jobIndex, progress } from "../actions/output.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { type BuildDoc, isFinal } from "../domain/build.js";
import { waitingText } from "../domain/line.js";

/** How often to check for changes, in case a wakeup is lost. */
const checkEveryMs = 1_000;

async function waitingFor({ places }: Context, doc: BuildDoc): Promise<string | undefined> {
  if (doc.status !== "queued") return undefined;
  const [reason] = await places.reasons([doc]);
  return waitingText(reason!, doc.driver.type);
}

export const watchOutput = (ctx: Context): Handlers["watchOutput"] =>
  async function* ({ ref, job: name, offset }, { caller, signal, stopping }) {
    const over = AbortSignal.any([signal, stopping]);
    let doc = await seeBuild(ctx, caller, ref);
    let at: number | undefined;
    let lastWaiting: string | undefined;
    while (!over.aborted) {
      // Listen before reading. Otherwise a change between the two would be missed.
      const wakeup = ctx.wakeups.next(doc._id, checkEveryMs, over);
      // Check the permission each time, because the watcher may have lost it.
      doc = await seeBuild(ctx, caller, ref);
      const job = jobIndex(doc, name);
      const { bytes, status } = progress(doc, job);
      at ??= Math.max(0, Math.min(offset, bytes));
      for await (const piece of ctx.output.read(doc, { job, start: at, end: bytes })) {
        // An invalid offset may point into the middle of a character.
        const text = piece.subarray(continuationBytes(piece)).toString();
        at += piece.length;
        yield { item: { $case: "piece", value: { text, offset: at } } };
      }
      const waiting = await waitingFor(ctx, doc);
      if (waiting && waiting !== lastWaiting) yield { item: { $case: "waiting", value: { text: waiting } } };
      lastWaiting = waiting;
      if (isFinal(status)) {
        yield { item: { $case: "end", value: { status } } };
        return;
      }
      await wakeup;
    }
    if (stopping.aborted) throw goneElsewhere();
  };
