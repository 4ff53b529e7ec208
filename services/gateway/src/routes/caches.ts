import { cacheJson, cacheSchema } from "@ci/rest/cache";
import { pageOfRecords } from "../backend/record-page.js";
import { action } from "../http/row.js";

export const listCaches = action({
  summary: "What is kept between builds of the caller and of the trees where the caller is a member, newest first",
  paged: true,
  returns: cacheSchema,
  async run(ctx, { page }) {
    const { caches, page: info } = await ctx.builds.listCaches({ page });
    return pageOfRecords(ctx, caches, cacheJson, info);
  },
});

export const deleteCache = action({
  summary: "Deletes a cache entry; a later build stores it again",
  changes: "cache",
  run: ({ builds }, { params: { id } }) => builds.deleteCache({ id }),
});
