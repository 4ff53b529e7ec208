import { totalOf, totalOfRest, validatorOf } from "./resume.js";

const ranges = { "accept-ranges": "bytes" };
const modified = "Sat, 21 Nov 2026 10:00:00 GMT";
const second = "Sat, 21 Nov 2026 10:00:01 GMT";

describe("If-Range", () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ["a strong tag", { ...ranges, etag: '"abc"' }, '"abc"'],
    ["a tag beside a date", { ...ranges, etag: '"abc"', "last-modified": modified, date: second }, '"abc"'],
    ["a weak tag", { ...ranges, etag: 'W/"abc"' }, undefined],
    ["a weak tag beside a date", { ...ranges, etag: 'W/"abc"', "last-modified": modified, date: second }, undefined],
    ["a malformed tag", { ...ranges, etag: "abc" }, undefined],
    ["a date", { ...ranges, "last-modified": modified, date: second }, modified],
    ["a date in the second of the response", { ...ranges, "last-modified": modified, date: modified }, undefined],
    ["a date in a response without one", { ...ranges, "last-modified": modified }, undefined],
    ["no validator", ranges, undefined],
    ["a server without ranges", { etag: '"abc"' }, undefined],
    ["a server that refuses ranges", { "accept-ranges": "none", etag: '"abc"' }, undefined],
    ["a server with several range units", { "accept-ranges": "pages, Bytes", etag: '"abc"' }, '"abc"'],
  ])("is right for %s", (_case, headers, validator) => expect(validatorOf(headers)).toBe(validator));
});

describe("a partial response", () => {
  const rest = { from: 10, validator: '"abc"' };
  test.each<[Record<string, string>, number | undefined]>([
    [{ "content-range": "bytes 10-19/20" }, 20],
    [{ "content-range": "bytes 10-19/20", etag: '"abc"' }, 20],
    [{ "content-range": "bytes 10-19/20", etag: '"abcd"' }, undefined],
    [{ "content-range": "bytes 9-19/20" }, undefined],
    [{ "content-range": "bytes 10-18/20" }, undefined],
    [{ "content-range": "bytes 10-19/*" }, undefined],
    [{ "content-range": "bytes */20" }, undefined],
    [{}, undefined],
  ])("%j gives the total size or is rejected", (headers, total) => expect(totalOfRest(rest, headers)).toBe(total));
});

test.each<[Record<string, string>, number | undefined]>([
  [{ "content-length": "12" }, 12],
  [{ "content-length": "12", "content-encoding": "gzip" }, undefined],
  [{ "content-length": "x" }, undefined],
  [{}, undefined],
])("reads the size of a full response from %j", (headers, total) => expect(totalOf(headers)).toBe(total));
