import { submit } from "../actions/submit.js";
import type { Context, Handlers } from "../context.js";

export const submitBuild =
  (ctx: Context): Handlers["submitBuild"] =>
  async ({ manifest, comment, tags }, { caller }) => {
    const build = await submit(ctx, {
      text: manifest,
      tags,
      userId: caller.userId!,
      trigger: ({ email, username }) => ({ type: "manual", comment, data: { email, username } }),
    });
    return { build };
  };
