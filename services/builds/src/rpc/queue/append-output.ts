import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { invalid } from "@ci/kit/rpc/fault";
import { spillOutput } from "../../actions/output/spill-output.js";
import type { Context, QueueHandlers } from "../../context.js";
import { requireSecret } from "../../domain/lease-secret.js";
import { append } from "../../domain/moves.js";

const maxBytes = fixedLimit({
  max: 256 * 1024,
  unit: "bytes",
  about: "output in one message of a runner",
  refusal: "Text cannot exceed N bytes",
});

/** Throws `invalid` if a message has too much output. */
export function requireShort(text: string): void {
  if (Buffer.byteLength(text) > maxBytes) throw invalid({ text: [`Text cannot exceed ${maxBytes} bytes`] });
}

export const appendOutput =
  (ctx: Context): QueueHandlers["appendOutput"] =>
  async ({ buildId, epoch, leaseSecret, ...piece }) => {
    requireShort(piece.text);
    const doc = await ctx.builds.change(buildId, (build) => {
      requireSecret(build, leaseSecret);
      return append(build, epoch, piece, ctx.now());
    });
    ctx.wakeups.wake(doc);
    await spillOutput(ctx, doc);
    return {};
  };
