import type { Context, Handlers } from "../context.js";
import { toBuild } from "../domain/change.js";
import { submit } from "../submit.js";

export const submitBuild =
  (ctx: Context): Handlers["submitBuild"] =>
  async ({ manifest, comment, tags, complaints }, { caller }) => {
    const doc = await submit(ctx, {
      text: manifest,
      tags,
      userId: caller.userId!,
      complaints: Object.fromEntries(Object.entries(complaints).map(([field, { messages }]) => [field, messages])),
      trigger: ({ email, username }) => ({ type: "manual", comment, data: { email, username } }),
    });
    return { build: toBuild(doc) };
  };
