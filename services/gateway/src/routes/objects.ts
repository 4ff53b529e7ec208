import { sendUpload } from "@ci/kit/bytes/upload";
import type { StoredObject } from "@ci/proto/namespaces/v1/resources";
import { objectJson } from "@ci/rest/object";
import { complaining } from "../complain.js";
import { accepts, content } from "../content.js";
import type { Context } from "../context.js";
import { known } from "../embed.js";
import { paged } from "../page.js";
import { type Ask, action } from "../row.js";
import { build, object } from "../schemas.js";
import { text } from "../shape.js";
import { namespaceOf } from "../targets.js";
import { readUpload } from "../upload.js";
import { pageOfBuilds } from "./builds.js";

const query = { search: text };

async function list(ctx: Context, { query: { search = "" }, page }: Ask<typeof query>, namespaceId?: number) {
  const found = await ctx.objects.listObjects({ namespaceId, search, page });
  const all = await known(ctx, found.objects);
  const items = found.objects.map((one) => objectJson(one, all));
  return paged(items, found.page);
}

export const listObjects = action({
  summary: "Objects of the caller and of the namespaces where the caller is a member, by name",
  query,
  paged: true,
  answer: object,
  run: (ctx, ask) => list(ctx, ask),
});

export const listObjectsOf = action({
  summary: "Objects of a namespace, by name",
  query,
  paged: true,
  answer: object,
  run: async (ctx, ask) => list(ctx, ask, (await namespaceOf(ctx, ask)).id),
});

const uploadFields = { name: text, namespace: text };

export const uploadObject = action({
  summary: "Uploads an object",
  query: uploadFields,
  upload: true,
  answer: object,
  async run(ctx, { exchange }) {
    const { fields, complaints, file } = await readUpload(exchange, uploadFields, ctx.config.bodyBytes);
    const { name = "", namespace = "" } = fields;
    const send = () => ctx.objects.uploadObject(sendUpload({ name, namespace }, file));
    const made = (await complaining(complaints, send)).object!;
    return objectJson(made, await known(ctx, [made]));
  },
});

const contentOf = ({ objects }: Context, { id, name, type, size, createdAt }: StoredObject) =>
  content({
    type,
    name,
    sizeBytes: size,
    lastModified: createdAt!,
    read: (part, options) => objects.readObject({ id, ...part }, options),
  });

export const getObject = action({
  summary: "An object, or its content if exactly its type is accepted",
  answer: object,
  media: ["*/*"],
  async run(ctx, { params: { id }, exchange }) {
    const found = (await ctx.objects.getObject({ id })).object!;
    if (accepts(exchange, found.type)) return contentOf(ctx, found);
    return objectJson(found, await known(ctx, [found]));
  },
});

export const listBuildsWith = action({
  summary: "Builds that used an object, newest first",
  paged: true,
  answer: build,
  async run(ctx, { params: { id }, page }) {
    const { object: found } = await ctx.objects.getObject({ id });
    return pageOfBuilds(ctx, await ctx.builds.listBuilds({ objectId: found!.id, tag: "", search: "", page }));
  },
});

export const deleteObject = action({
  summary: "Deletes an object and its content",
  async run({ objects }, { params: { id } }) {
    await objects.deleteObject({ id });
  },
});
