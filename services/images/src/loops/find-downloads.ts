import type { NothingYet } from "@ci/kit/process/loop";
import type { Context } from "../context.js";

/** Finds downloads that are due: retries, and those that a dead process or a lost message left behind. */
export async function findDownloads(
  { images }: Pick<Context, "images">,
  download: () => void,
): Promise<1 | 0 | NothingYet> {
  const nextInMs = await images.nextDownloadInMs();
  if (nextInMs === undefined) return 0;
  if (nextInMs > 0) return { nextInMs };
  download();
  return 1;
}
