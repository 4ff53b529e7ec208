import { pageOf } from "./page.js";

test("pageOf returns a page of a whole list", () => {
  const all = Array.from({ length: 51 }, (_, index) => index);
  expect(pageOf(all, 1)).toEqual({ items: all.slice(0, 25), page: { hasNext: true } });
  expect(pageOf(all, undefined)).toEqual(pageOf(all, 1));
  expect(pageOf(all, 3)).toEqual({ items: [50], page: { hasNext: false } });
  expect(pageOf(all, 4)).toEqual({ items: [], page: { hasNext: false, lastPage: 3 } });
  expect(pageOf([], 1)).toEqual({ items: [], page: { hasNext: false } });
  expect(pageOf(all.slice(0, 25), 2)).toEqual({ items: [], page: { hasNext: false, lastPage: 1 } });
});
