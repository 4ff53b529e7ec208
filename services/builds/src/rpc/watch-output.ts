import { goneElsewhere } from "@ci/kit/rpc/served-call";
import { openOutput } from "../actions/output/output-reader.js";
import type { Context, Handlers } from "../context.js";

export const watchOutput = (ctx: Context): Handlers["watchOutput"] =>
  async function* (request, { caller, signal, stopping }) {
    const over = AbortSignal.any([signal, stopping]);
    using reader = await openOutput(ctx, caller, request);
    yield { item: undefined };
    for (let item = await reader.next(over); item; item = await reader.next(over)) yield item;
    if (stopping.aborted) throw goneElsewhere();
  };
