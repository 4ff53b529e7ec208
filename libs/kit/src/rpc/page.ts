import type { PageInfo } from "@ci/proto/common/v1/page";
import { fixedLimit } from "../process/fixed-limit.js";

export const pageSize = fixedLimit({
  max: 25,
  about: "records of a page",
  effect: "further ones are on the next page",
});

export interface Page<T> {
  readonly items: T[];
  readonly page: PageInfo;
}

export const lastPageOf = (count: number): number => Math.max(1, Math.ceil(count / pageSize));

/** Returns a page of a list that is all in memory. */
export function pageOf<T>(all: readonly T[], requested: number | undefined): Page<T> {
  const number = Math.max(1, requested ?? 1);
  const items = all.slice((number - 1) * pageSize, number * pageSize);
  if (items.length === 0 && number > 1) return { items, page: { hasNext: false, lastPage: lastPageOf(all.length) } };
  return { items, page: { hasNext: all.length > number * pageSize } };
}
