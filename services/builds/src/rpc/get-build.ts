import type { Context, Handlers } from "../context.js";
import { toBuild } from "../domain/change.js";
import { outputEnd } from "../output.js";
import { seeBuild } from "./see.js";

export const getBuild =
  (ctx: Context): Handlers["getBuild"] =>
  async ({ ref, brief }, { caller }) => {
    const doc = await seeBuild(ctx, caller, ref);
    if (brief) return { build: toBuild(doc) };
    return { build: { ...toBuild(doc), output: await outputEnd(ctx, doc, ctx.config.outputJsonBytes) } };
  };
