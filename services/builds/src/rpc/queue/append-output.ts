import { invalid } from "@ci/kit/rpc/fault";
import type { Context, QueueHandlers } from "../../context.js";
import { append } from "../../domain/moves.js";

const mostBytes = 256 * 1024;

export const appendOutput =
  (ctx: Context): QueueHandlers["appendOutput"] =>
  async ({ buildId, epoch, jobId, offset, text }) => {
    if (Buffer.byteLength(text) > mostBytes) throw invalid({ text: [`Text cannot exceed ${mostBytes} bytes`] });
    const doc = await ctx.builds.change(buildId, (build) => append(build, epoch, jobId, offset, text));
    ctx.news.tell(buildId);
    const tailFrom = await ctx.output.spill(doc);
    if (tailFrom !== undefined) await ctx.builds.trimTail(buildId, tailFrom);
    return {};
  };
