import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { PageInfo } from "@ci/proto/common/v1/page";
import { type Exchange, queryOf } from "./exchange.js";

/** Lies beyond the end of every list, and is small enough for arithmetic. */
const maxPage = fixedLimit({
  max: 1_000_000_000,
  about: "number of a page",
  effect: "a larger number counts as this one",
});

/** Returns the page that a query names. Anything but a whole number from 1 means the first. */
export function pageNumber(text: string | null): number {
  if (text === null || !/^\d+$/.test(text)) return 1;
  return Math.min(Math.max(Number(text), 1), maxPage);
}

/** Returns the Link header of a page of the list at `url`; undefined for a list of one page. */
export function linkHeader(url: string, number: number, { hasNext, lastPage }: PageInfo): string | undefined {
  const prev = lastPage === undefined ? number - 1 : lastPage;
  const links = [
    ...(prev >= 1 && lastPage !== 1 ? [{ rel: "prev", page: prev }] : []),
    ...(hasNext ? [{ rel: "next", page: number + 1 }] : []),
  ];
  if (links.length === 0) return undefined;
  return links.map(({ rel, page }) => `<${withPage(url, page)}>; rel="${rel}"`).join(", ");
}

function withPage(text: string, page: number): string {
  const url = new URL(text);
  url.searchParams.set("page", String(page));
  return url.href;
}

/** A page of a list; its items are JSON. */
export class Page {
  constructor(
    readonly items: readonly string[],
    readonly info: PageInfo = { hasNext: false },
  ) {}

  get json(): string {
    return `[${this.items.join(",")}]`;
  }

  headers(exchange: Exchange, publicUrl: string): Record<string, string> {
    const number = pageNumber(queryOf(exchange).get("page"));
    const link = linkHeader(new URL(publicUrl).origin + exchange.url, number, this.info);
    return link ? { Link: link } : {};
  }
}

export const paged = (items: readonly unknown[], info: PageInfo | undefined): Page =>
  new Page(
    items.map((item) => JSON.stringify(item)),
    info,
  );
