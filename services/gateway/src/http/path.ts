/** Returns the path of a public URL, without trailing slash. */
export const basePathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, "");

/** Returns a request's path as the table has it: without query and without the path of the public URL. */
export function pathBelow(basePath: string, url: string): string | undefined {
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  if (!path.startsWith(basePath)) return undefined;
  const below = path.slice(basePath.length);
  if (below === "") return "/";
  return below.startsWith("/") ? below : undefined;
}
