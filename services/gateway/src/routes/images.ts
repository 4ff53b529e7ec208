import { sendUpload } from "@ci/kit/bytes/upload";
import { notFound } from "@ci/kit/rpc/fault";
import type { Image } from "@ci/proto/images/v1/images";
import { imageJson, imageSchema } from "@ci/rest/image";
import { confirmToken } from "../auth/authenticate.js";
import { namespaceOf } from "../auth/targets.js";
import { pageOfRecords } from "../backend/record-page.js";
import { relationsFor } from "../backend/relations.js";
import { readBody } from "../content/body.js";
import { download, wantsContent } from "../content/download.js";
import { fieldsOf } from "../content/fields.js";
import { bodyKind } from "../content/incoming.js";
import { holdsFields, readUpload } from "../content/upload.js";
import type { Context } from "../context.js";
import { complaining } from "../http/complain.js";
import { type Exchange, queryOf } from "../http/exchange.js";
import { action, type Input } from "../http/row.js";
import { maxUrlLength, namespace, readFields, search, text, textUpTo, type Values } from "../http/shape.js";

const type = "application/x-qemu-disk";

async function list(ctx: Context, { query, page }: Input<typeof search>, namespaceId?: number) {
  const { images, page: info } = await ctx.images.listImages({ namespaceId, search: query.search ?? "", page });
  return pageOfRecords(ctx, images, imageJson, info);
}

export const listImages = action({
  summary: "Images of the caller and of the namespaces where the caller is a member, by name",
  query: search,
  paged: true,
  returns: imageSchema,
  run: (ctx, input) => list(ctx, input),
});

export const listNamespaceImages = action({
  summary: "Images of a namespace, newest first",
  query: search,
  paged: true,
  returns: imageSchema,
  target: namespaceOf,
  run: async (ctx, input) => list(ctx, input, (await namespaceOf(ctx, input)).id),
});

const uploadFields = { name: text.describe("Name of the image"), namespace };
const downloadFields = {
  ...uploadFields,
  download_url: textUpTo(maxUrlLength).describe("Address to download the image from: http, https or sftp"),
};

async function* nothing(): AsyncGenerator<Buffer> {}

/** Creates the image that fields describe. Without an address to download it from, its content is missing. */
async function create(ctx: Context, exchange: Exchange): Promise<Image> {
  const { bodyBytes, lengths } = ctx.config;
  const query = holdsFields(exchange) ? fieldsOf(queryOf(exchange)) : {};
  const body = await readBody(exchange.request, {}, bodyBytes);
  await confirmToken(ctx, exchange);
  const { values, complaints } = readFields(downloadFields, { ...query, ...body }, lengths);
  const { name = "", namespace = "", download_url: url } = values as Values<typeof downloadFields>;
  // An invalid address is still an address, so no file is missing.
  const downloadUrl = url ?? (complaints.download_url ? "invalid" : "");
  return complaining(ctx, complaints, async ({ images }) => {
    if (downloadUrl === "") return (await images.uploadImage(sendUpload({ name, namespace }, nothing()))).image!;
    return (await images.downloadImage({ name, namespace, downloadUrl })).image!;
  });
}

async function upload(ctx: Context, exchange: Exchange): Promise<Image> {
  const { fields, complaints, file, size } = await readUpload(exchange, uploadFields, ctx);
  const { name = "", namespace = "" } = fields;
  const send = ({ images }: Context) => images.uploadImage(sendUpload({ name, namespace, size }, file));
  return (await complaining(ctx, complaints, send)).image!;
}

export const createImage = action({
  summary: "Uploads an image, or has it downloaded from `download_url`",
  changes: "image",
  query: uploadFields,
  upload: true,
  download: downloadFields,
  refuses: ["images"],
  returns: imageSchema,
  async run(ctx, { exchange }) {
    const isRecord = bodyKind(exchange.request) === "json" || holdsFields(exchange);
    const image = await (isRecord ? create : upload)(ctx, exchange);
    return imageJson(image, await relationsFor(ctx, [image]));
  },
});

/** Returns the content of an image, which exists once it is downloaded. */
function contentOf({ images }: Context, { id, name, size, createdAt, download: from }: Image) {
  if (size === undefined) throw notFound();
  return download({
    type,
    name: `${name}.qcow2`,
    sizeBytes: size,
    lastModified: (from?.finishedAt ?? createdAt)!,
    read: (part, options) => images.readImage({ id, ...part }, options),
  });
}

export const getImage = action({
  summary: "An image, or its content if exactly application/x-qemu-disk is accepted",
  returns: imageSchema,
  media: [type],
  file: true,
  async run(ctx, { params: { id }, exchange }) {
    const image = (await ctx.images.getImage({ id })).image!;
    if (wantsContent(exchange, type)) return contentOf(ctx, image);
    return imageJson(image, await relationsFor(ctx, [image]));
  },
});

export const deleteImage = action({
  summary: "Deletes an image and its content",
  changes: "image",
  run: ({ images }, { params: { id } }) => images.deleteImage({ id }),
});
