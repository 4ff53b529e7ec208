import { sendUpload } from "@ci/kit/bytes/upload";
import type { StoredObject } from "@ci/proto/namespaces/v1/resources";
import { buildSchema } from "@ci/rest/build";
import { objectJson, objectSchema } from "@ci/rest/object";
import { namespaceOf } from "../auth/targets.js";
import { pageOfRecords } from "../backend/record-page.js";
import { relationsFor } from "../backend/relations.js";
import { download, wantsContent } from "../content/download.js";
import { readUpload } from "../content/upload.js";
import type { Context } from "../context.js";
import { complaining } from "../http/complain.js";
import { type Address, action, type Input } from "../http/row.js";
import { namespace, search, text } from "../http/shape.js";
import { filtered, filters, pageOfBuilds } from "./builds.js";

async function list(ctx: Context, { query, page }: Input<typeof search>, namespaceId?: number) {
  const { objects, page: info } = await ctx.objects.listObjects({ namespaceId, search: query.search ?? "", page });
  return pageOfRecords(ctx, objects, objectJson, info);
}

export const listObjects = action({
  summary: "Objects of the caller and of the namespaces where the caller is a member, by name",
  query: search,
  paged: true,
  returns: objectSchema,
  run: (ctx, input) => list(ctx, input),
});

export const listNamespaceObjects = action({
  summary: "Objects of a namespace, by name",
  query: search,
  paged: true,
  returns: objectSchema,
  target: namespaceOf,
  run: async (ctx, input) => list(ctx, input, (await namespaceOf(ctx, input)).id),
});

const uploadFields = { name: text.describe("Name of the object"), namespace };

export const uploadObject = action({
  summary: "Uploads an object",
  changes: "object",
  query: uploadFields,
  upload: true,
  refuses: ["objects"],
  returns: objectSchema,
  async run(ctx, { exchange }) {
    const { fields, complaints, file, size } = await readUpload(exchange, uploadFields, ctx);
    const { name = "", namespace = "" } = fields;
    const send = ({ objects }: Context) => objects.uploadObject(sendUpload({ name, namespace, size }, file));
    const object = (await complaining(ctx, complaints, send)).object!;
    return objectJson(object, await relationsFor(ctx, [object]));
  },
});

const contentOf = ({ objects }: Context, { id, name, type, size, createdAt }: StoredObject) =>
  download({
    type,
    name,
    sizeBytes: size,
    lastModified: createdAt!,
    read: (part, options) => objects.readObject({ id, ...part }, options),
  });

export const getObject = action({
  summary: "An object, or its content if exactly its type is accepted",
  returns: objectSchema,
  media: ["*/*"],
  file: true,
  async run(ctx, { params: { id }, exchange }) {
    const object = (await ctx.objects.getObject({ id })).object!;
    if (wantsContent(exchange, object.type)) return contentOf(ctx, object);
    return objectJson(object, await relationsFor(ctx, [object]));
  },
});

export const listObjectBuilds = action({
  summary: "Builds that used an object, newest first",
  query: filters,
  paged: true,
  returns: buildSchema,
  target: ({ objects }, { params: { id } }: Pick<Address, "params">) => objects.getObject({ id }),
  async run(ctx, { params: { id }, query, page }) {
    const { object } = await ctx.objects.getObject({ id });
    return pageOfBuilds(ctx, await ctx.builds.listBuilds({ ...filtered(query), objectId: object!.id, page }));
  },
});

export const deleteObject = action({
  summary: "Deletes an object and its content",
  changes: "object",
  run: ({ objects }, { params: { id } }) => objects.deleteObject({ id }),
});
