import type { Download, Image } from "@ci/proto/images/v1/images";
import { ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { recordUrl } from "./urls.js";

const downloadJson = ({ source, error, createdAt, startedAt, finishedAt, received, total }: Download) => ({
  source,
  error: error ?? null,
  created_at: time(createdAt),
  started_at: time(startedAt),
  finished_at: time(finishedAt),
  received: received ?? null,
  total: total ?? null,
});

/** An image; `download` is null for an upload. */
export const imageJson = (image: Image, known: Relations) => ({
  id: image.id,
  author_id: image.authorId,
  user_id: image.userId,
  namespace_id: image.namespaceId ?? null,
  name: image.name,
  created_at: time(image.createdAt),
  url: recordUrl("images", image.id, known),
  ...ownershipJson(image, known),
  driver: "qemu",
  download: image.download ? downloadJson(image.download) : null,
});
