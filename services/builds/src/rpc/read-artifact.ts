import { notFound } from "@ci/kit/rpc/fault";
import { seeArtifacts } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";

export const readArtifact = (ctx: Context): Handlers["readArtifact"] =>
  async function* ({ ref, name, start, end }, { caller }) {
    const { artifacts } = await seeArtifacts(ctx, caller, ref);
    const blobId = artifacts.find((one) => one.name === name)?.blobId;
    if (!blobId) throw notFound();
    for await (const chunk of ctx.contents.get(blobId, { start, end: end === undefined ? undefined : end + 1 }))
      yield { chunk };
  };
