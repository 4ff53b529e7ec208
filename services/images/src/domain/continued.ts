type Headers = Readonly<Record<string, string | undefined>>;

/** What an attempt asks for that continues another one. */
export interface Rest {
  /** How many bytes there are. */
  readonly from: number;
  /** What tells a server whether its content is still the same. */
  readonly validator: string;
}

/**
 * What to send as If-Range when this answer breaks off; undefined if it cannot be continued. A date is good enough only
 * where there is no entity tag, and when no second version can be of the same second (RFC 9110, 8.8.2.2 and 13.1.5).
 */
export function validatorOf(headers: Headers): string | undefined {
  if (!/(^|,)\s*bytes\s*(,|$)/i.test(headers["accept-ranges"] ?? "")) return undefined;
  const { etag, date, "last-modified": modified } = headers;
  if (etag !== undefined) return /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag) ? etag : undefined;
  return Date.parse(date ?? "") - Date.parse(modified ?? "") >= 1_000 ? modified : undefined;
}

/** The size of the whole content if this partial answer gives all the rest of it that was asked for; else undefined. */
export function totalOfRest({ from, validator }: Rest, headers: Headers): number | undefined {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers["content-range"] ?? "")?.map(Number) ?? [];
  const same = !validator.startsWith('"') || headers.etag === undefined || headers.etag === validator;
  return same && first === from && last! + 1 === total ? total : undefined;
}

/** The size of the content of a full answer, if it is told. */
export function totalOf(headers: Headers): number | undefined {
  const length = headers["content-length"] ?? "";
  return /^\d+$/.test(length) && headers["content-encoding"] === undefined ? Number(length) : undefined;
}
