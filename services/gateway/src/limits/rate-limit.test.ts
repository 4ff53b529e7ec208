import type { ServerResponse } from "node:http";
import { rateLimit } from "./rate-limit.js";

const minuteMs = 60_000;

function counter(perMinute: number) {
  let at = 10 * minuteMs + 18_000;
  const limit = rateLimit("token", perMinute, () => at);
  return {
    advance: (ms: number) => {
      at += ms;
    },
    count(key: number | string, cost?: 0) {
      const headers: Record<string, string> = {};
      const response = { setHeader: (name: string, value: string) => Object.assign(headers, { [name]: value }) };
      try {
        limit(key, response as unknown as ServerResponse, cost);
        return { headers };
      } catch (error) {
        return { headers, error };
      }
    },
  };
}

test("counts the requests of each key in windows of a minute and says what is left", () => {
  const { count, advance } = counter(2);
  expect(count(1).headers).toEqual({ "RateLimit-Policy": '"token";q=2;w=60', RateLimit: '"token";r=1;t=42' });
  expect(count(1).headers.RateLimit).toBe('"token";r=0;t=42');
  expect(count(1)).toEqual({
    headers: { "RateLimit-Policy": '"token";q=2;w=60', RateLimit: '"token";r=0;t=42' },
    error: expect.objectContaining({ status: 429, headers: { "Retry-After": "42" } }),
  });
  expect(count(2).error).toBeUndefined();
  advance(42_000);
  expect(count(1).headers.RateLimit).toBe('"token";r=1;t=60');
});

test("0 means no limit and no headers", () => expect(counter(0).count(1)).toEqual({ headers: {} }));

test("keys without number share a count", () => {
  const { count } = counter(1);
  for (let key = 0; key < 100_000; key++) count(`known ${key}`);
  expect(count("one").error).toBeUndefined();
  expect(count("another").error).toBeDefined();
});

test("a request without cost does not count, and is refused once others have exceeded the limit", () => {
  const { count, advance } = counter(1);
  for (let i = 0; i < 3; i++) expect(count(1, 0)).toEqual({ headers: {} });
  expect(count(1).error).toBeUndefined();
  expect(count(1, 0)).toEqual({ headers: {} });
  expect(count(1).error).toBeDefined();
  expect(count(1, 0)).toMatchObject({ headers: { RateLimit: '"token";r=0;t=42' }, error: { status: 429 } });
  expect(count(2, 0).error).toBeUndefined();
  advance(42_000);
  expect(count(1, 0).error).toBeUndefined();
});
