import type { PageInfo } from "@ci/proto/common/v1/page";
import type { References, Relations } from "@ci/rest/relations";
import { type Page, paged } from "../http/page.js";
import { relationsFor } from "./relations.js";

/** Returns a page of records as JSON, with the users and namespaces that they name. */
export async function pageOfRecords<R extends References>(
  ctx: Parameters<typeof relationsFor>[0],
  records: readonly R[],
  toJson: (record: R, relations: Relations) => unknown,
  info: PageInfo | undefined,
): Promise<Page> {
  const relations = await relationsFor(ctx, records);
  return paged(
    records.map((record) => toJson(record, relations)),
    info,
  );
}
