import { goneElsewhere } from "@ci/kit/rpc/rpc";
import type { Context, Handlers } from "../context.js";
import { type BuildDoc, isFinal } from "../domain/build.js";
import { waitingText } from "../domain/line.js";
import { continuation, jobIndex, progress } from "../output.js";
import { seeBuild } from "./see.js";

/** How long a change may stay unseen when its news was lost. */
const lookEveryMs = 1_000;

/** What a queued build waits for; undefined for every other. */
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
    let saidLast: string | undefined;
    while (!over.aborted) {
      // Listen first, then look: news that come in between are not missed.
      const news = ctx.news.next(doc._id, lookEveryMs, over);
      // Seen anew each time: whoever may no longer see the build hears no more of it.
      doc = await seeBuild(ctx, caller, ref);
      const job = jobIndex(doc, name);
      const { bytes, status } = progress(doc, job);
      at ??= Math.max(0, Math.min(offset, bytes));
      for await (const piece of ctx.output.read(doc, { job, start: at, end: bytes })) {
        // Only an offset that nobody was given points into a character.
        const text = piece.subarray(continuation(piece)).toString();
        at += piece.length;
        yield { item: { $case: "piece", value: { text, offset: at } } };
      }
      const waiting = await waitingFor(ctx, doc);
      if (waiting && waiting !== saidLast) yield { item: { $case: "waiting", value: { text: waiting } } };
      saidLast = waiting;
      if (isFinal(status)) {
        yield { item: { $case: "end", value: { status } } };
        return;
      }
      await news;
    }
    if (stopping.aborted) throw goneElsewhere();
  };
