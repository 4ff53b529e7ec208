import type { Context, Handlers } from "../context.js";
import { deleteImage } from "./delete-image.js";
import { downloadImage } from "./download-image.js";
import { findImage } from "./find-image.js";
import { getImage } from "./get-image.js";
import { listImages } from "./list-images.js";
import { readImage } from "./read-image.js";
import { uploadImage } from "./upload-image.js";

export const imageHandlers = (ctx: Context): Handlers => ({
  uploadImage: uploadImage(ctx),
  downloadImage: downloadImage(ctx),
  getImage: getImage(ctx),
  findImage: findImage(ctx),
  listImages: listImages(ctx),
  deleteImage: deleteImage(ctx),
  readImage: readImage(ctx),
});
