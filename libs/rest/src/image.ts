import type { Download, Image } from "@ci/proto/images/v1/images";
import { z } from "zod";
import { owned, owners, ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { bytes, id, record, timestamp, url } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { contentUrl, recordUrl } from "./urls.js";

const downloadSchema = z.object({
  source: z.string().describe("Address that the image is downloaded from, without its password"),
  error: z.string().nullable().describe("Why the download failed; null if it did not"),
  created_at: timestamp.describe("When the download was requested"),
  started_at: timestamp.nullable().describe("When the first attempt started; null before that"),
  finished_at: timestamp.nullable().describe("When the download ended; null before that"),
  received: bytes.nullable().describe("Bytes received so far; null before the first"),
  total: bytes.nullable().describe("Size in bytes that the source announced; null if it did not"),
});

export const imageSchema = record("Image", "A disk image for virtual machines", {
  id: id.describe("Id of the image"),
  author_id: owned.author_id,
  user_id: owned.user_id,
  namespace_id: owned.namespace_id,
  name: z.string().describe("Name of the image"),
  created_at: owned.created_at,
  url: owned.url,
  content_url: url.nullable().describe("Address to download the content from; null until the image has content"),
  ...owners,
  driver: z.literal("qemu").describe("Driver that the image is for"),
  download: downloadSchema.nullable().describe("Where the image was downloaded from; null for an upload"),
});

const downloadJson = ({
  source,
  error,
  createdAt,
  startedAt,
  finishedAt,
  received,
  total,
}: Download): z.output<typeof downloadSchema> => ({
  source,
  error: error ?? null,
  created_at: time(createdAt),
  started_at: timeOrNull(startedAt),
  finished_at: timeOrNull(finishedAt),
  received: received ?? null,
  total: total ?? null,
});

export const imageJson = (image: Image, relations: Relations): z.output<typeof imageSchema> => {
  const url = recordUrl("images", image.id, relations);
  return {
    id: image.id,
    author_id: image.authorId,
    user_id: image.userId,
    namespace_id: image.namespaceId ?? null,
    name: image.name,
    created_at: time(image.createdAt),
    url,
    content_url: image.size === undefined ? null : contentUrl(url),
    ...ownershipJson(image, relations),
    driver: "qemu",
    download: image.download ? downloadJson(image.download) : null,
  };
};
