import { sendUpload } from "@ci/kit/bytes/upload";
import { notFound } from "@ci/kit/rpc/fault";
import type { Image } from "@ci/proto/images/v1/images";
import { imageJson } from "@ci/rest/image";
import { readBody } from "../body.js";
import { complaining } from "../complain.js";
import { accepts, content } from "../content.js";
import type { Context } from "../context.js";
import { known } from "../embed.js";
import type { Exchange } from "../exchange.js";
import { bodyKind } from "../incoming.js";
import { paged } from "../page.js";
import { type Ask, action } from "../row.js";
import { image } from "../schemas.js";
import { readFields, text, type Values } from "../shape.js";
import { namespaceOf } from "../targets.js";
import { readUpload } from "../upload.js";

const query = { search: text };
const type = "application/x-qemu-disk";

async function list(ctx: Context, { query: { search = "" }, page }: Ask<typeof query>, namespaceId?: number) {
  const found = await ctx.images.listImages({ namespaceId, search, page });
  const all = await known(ctx, found.images);
  const items = found.images.map((one) => imageJson(one, all));
  return paged(items, found.page);
}

export const listImages = action({
  summary: "Images of the caller and of the namespaces where the caller is a member, by name",
  query,
  paged: true,
  answer: image,
  run: (ctx, ask) => list(ctx, ask),
});

export const listImagesOf = action({
  summary: "Images of a namespace, newest first",
  query,
  paged: true,
  answer: image,
  run: async (ctx, ask) => list(ctx, ask, (await namespaceOf(ctx, ask)).id),
});

const uploadFields = { name: text, namespace: text };
const downloadFields = { ...uploadFields, download_url: text };

async function* nothing(): AsyncGenerator<Buffer> {}

/** Creates the image that a JSON body describes. Without an address to fetch it from, its content is missing. */
async function create(ctx: Context, { request }: Exchange): Promise<Image> {
  const given = await readBody(request, {}, ctx.config.bodyBytes);
  const { values, complaints } = readFields(downloadFields, given);
  const { name = "", namespace = "", download_url: url } = values as Values<typeof downloadFields>;
  // An address of a wrong type is an address all the same: no file is missing.
  const downloadUrl = url ?? (complaints.download_url ? JSON.stringify(given.download_url) : "");
  return complaining(complaints, async () => {
    if (downloadUrl === "") return (await ctx.images.uploadImage(sendUpload({ name, namespace }, nothing()))).image!;
    return (await ctx.images.downloadImage({ name, namespace, downloadUrl })).image!;
  });
}

async function upload(ctx: Context, exchange: Exchange): Promise<Image> {
  const { fields, complaints, file } = await readUpload(exchange, uploadFields, ctx.config.bodyBytes);
  const { name = "", namespace = "" } = fields;
  const send = () => ctx.images.uploadImage(sendUpload({ name, namespace }, file));
  return (await complaining(complaints, send)).image!;
}

export const createImage = action({
  summary: "Uploads an image, or has one downloaded when the body is JSON",
  query: uploadFields,
  upload: true,
  download: downloadFields,
  answer: image,
  async run(ctx, { exchange }) {
    const made = await (bodyKind(exchange.request) === "json" ? create : upload)(ctx, exchange);
    return imageJson(made, await known(ctx, [made]));
  },
});

/** The content of an image; there is none before it has been downloaded. */
function contentOf({ images }: Context, { id, name, size, createdAt, download }: Image) {
  if (size === undefined) throw notFound();
  return content({
    type,
    name: `${name}.qcow2`,
    sizeBytes: size,
    lastModified: (download?.finishedAt ?? createdAt)!,
    read: (part, options) => images.readImage({ id, ...part }, options),
  });
}

export const getImage = action({
  summary: "An image, or its content if exactly application/x-qemu-disk is accepted",
  answer: image,
  media: [type],
  async run(ctx, { params: { id }, exchange }) {
    const found = (await ctx.images.getImage({ id })).image!;
    if (accepts(exchange, type)) return contentOf(ctx, found);
    return imageJson(found, await known(ctx, [found]));
  },
});

export const deleteImage = action({
  summary: "Deletes an image and its content",
  async run({ images }, { params: { id } }) {
    await images.deleteImage({ id });
  },
});
