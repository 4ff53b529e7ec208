type Headers = Readonly<Record<string, string | undefined>>;

export interface Rest {
  readonly from: number;
  /** Shows the server which version of the content they belong to. */
  readonly validator: string;
}

/** Returns the If-Range value for resuming, if possible. A date must be a second old (RFC 9110, 8.8.2.2, 13.1.5). */
export function validatorOf(headers: Headers): string | undefined {
  if (!/(^|,)\s*bytes\s*(,|$)/i.test(headers["accept-ranges"] ?? "")) return undefined;
  const { etag, date, "last-modified": modified } = headers;
  if (etag !== undefined) return /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag) ? etag : undefined;
  return Date.parse(date ?? "") - Date.parse(modified ?? "") >= 1_000 ? modified : undefined;
}

/** Returns the size of the whole content if this partial response holds exactly the requested rest. */
export function totalOfRest({ from, validator }: Rest, headers: Headers): number | undefined {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers["content-range"] ?? "")?.map(Number) ?? [];
  const same = !validator.startsWith('"') || headers.etag === undefined || headers.etag === validator;
  return same && first === from && last! + 1 === total ? total : undefined;
}

/** Returns the size of a full response's content, if the server gave it. */
export function totalOf(headers: Headers): number | undefined {
  const length = headers["content-length"] ?? "";
  return /^\d+$/.test(length) && headers["content-encoding"] === undefined ? Number(length) : undefined;
}
