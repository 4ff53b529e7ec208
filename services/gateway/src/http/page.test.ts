import { linkHeader, pageNumber } from "./page.js";

test.each([
  [null, 1],
  ["", 1],
  ["0", 1],
  ["-3", 1],
  ["2.5", 1],
  ["1e3", 1],
  ["7", 7],
  ["007", 7],
  ["9".repeat(30), 1_000_000_000],
])("pageNumber reads %s as %s", (text, number) => expect(pageNumber(text)).toBe(number));

describe("links", () => {
  const url = "https://a.test/api/builds?search=x%26y";
  const linkTo = (page: number) => `<${url}&page=${page}>`;

  test.each([
    [1, { hasNext: false }, undefined],
    [1, { hasNext: true }, `${linkTo(2)}; rel="next"`],
    [2, { hasNext: true }, `${linkTo(1)}; rel="prev", ${linkTo(3)}; rel="next"`],
    [3, { hasNext: false }, `${linkTo(2)}; rel="prev"`],
    [9, { hasNext: false, lastPage: 3 }, `${linkTo(3)}; rel="prev"`],
    [2, { hasNext: false, lastPage: 1 }, undefined],
  ])("of page %s with %j lead to its neighbours", (number, info, header) =>
    expect(linkHeader(url, number, info)).toBe(header),
  );

  test("replace the page of the query and nothing else", () => {
    const header = linkHeader("https://a.test/builds?page=2&tag=a+b&page=5", 2, { hasNext: false });
    expect(header).toBe('<https://a.test/builds?page=1&tag=a+b>; rel="prev"');
  });
});
