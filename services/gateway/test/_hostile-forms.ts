import { routes } from "../src/routes.js";
import { hostileFields, hostileValues, type Places, pathOf, plausible } from "./_hostile.js";

/** A request of which one field contains what nobody wants. */
export interface HostileRequest {
  readonly title: string;
  readonly method: string;
  readonly path: (places: Places) => string;
  readonly type?: string;
  /** A function: all bodies together would not fit into memory. */
  readonly body?: () => string;
  readonly byAdmin: boolean;
}

const long = 1_900_000;
const listed = (count: number, item: (nth: number) => string, between = "&") =>
  Array.from({ length: count }, (_, nth) => item(nth)).join(between);

/** Urlencoded forms in which this field is hostile. */
const urlencoded: Readonly<Record<string, (field: string) => string>> = {
  "2 MB of text": (field) => `${field}=${"x".repeat(long)}`,
  "control characters": (field) => `${field}=${"%01".repeat(long / 3)}`,
  "broken escapes": (field) => `${field}=${"%".repeat(long)}`,
  spaces: (field) => `${field}=${"+".repeat(long)}`,
  "100,000 values": (field) => listed(100_000, () => `${field}=v`),
  "100,000 names": (field) => listed(100_000, (nth) => `${field}${nth}=`),
  "a nested name": (field) => `${field}${"[a]".repeat(100_000)}=v`,
};

const part = (name: string, content: string, more = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;

/** Multipart forms in which this field is hostile. */
const multipart: Readonly<Record<string, (field: string) => string>> = {
  "2 MB of text": (field) => part(field, "x".repeat(long)),
  "control characters": (field) => part(field, "\u0001".repeat(long)),
  "beginnings of boundaries": (field) => part(field, "\r\n--".repeat(long / 4)),
  "10,000 values": (field) => listed(10_000, () => part(field, "v"), ""),
  "a long name of a file": (field) => part(field, "v", `; filename="${"f".repeat(long)}"`),
  "a long header": (field) => part(field, "v", `\r\nX-Long: ${"h".repeat(long)}`),
};

/** What a query may contain: the address and headers together have 16 KiB. */
const queries: Readonly<Record<string, string>> = {
  "15,000 characters": "x".repeat(15_000),
  "control characters": "%01".repeat(5_000),
  "broken escapes": "%".repeat(15_000),
  brackets: "[(".repeat(7_500),
  "a slow regular expression": `${"(a%2B)%2B".repeat(1_500)}%24`,
  "a huge number": `1${"0".repeat(400)}`,
  "beyond what is read": "x".repeat(20_000),
};

const types = { urlencoded: "application/x-www-form-urlencoded", multipart: "multipart/form-data; boundary=b" };

const fields = routes.flatMap((row) => {
  const { body, query = {}, upload, whole } = row.action;
  if (whole) return [];
  const names = Object.keys(body ?? (upload ? query : {}));
  return names.map((field) => ({ row, field, others: names.filter((name) => name !== field && plausible[name]) }));
});

const isByAdmin = (permission: unknown) => String(permission).startsWith("user:");

const forms: readonly HostileRequest[] = fields.flatMap(({ row, field, others }) => {
  const of = (kind: string, name: string) => ({
    title: `${row.method} ${row.path} ${field}: ${name} (${kind})`,
    method: row.method,
    path: (places: Places) => pathOf(row, places),
    byAdmin: isByAdmin(row.permission),
  });
  const value = (name: string) => String(plausible[name]!());
  const pairs = others.map((name) => `${name}=${encodeURIComponent(value(name))}`);
  const parts = others.map((name) => part(name, value(name)));
  return [
    ...Object.entries(urlencoded).map(([name, hostile]) => ({
      ...of("urlencoded", name),
      type: types.urlencoded,
      body: () => [...pairs, hostile(field)].join("&"),
    })),
    ...Object.entries(multipart).map(([name, hostile]) => ({
      ...of("multipart", name),
      type: types.multipart,
      body: () => `${parts.join("")}${hostile(field)}--b--\r\n`,
    })),
  ];
});

const searches: readonly HostileRequest[] = routes
  .filter(({ action: { upload, paged } }) => !upload && paged)
  .flatMap((row) =>
    [...Object.keys(row.action.query ?? {}), "page"].flatMap((parameter) =>
      Object.entries(queries).map(([name, value]) => ({
        title: `${row.method} ${row.path} ?${parameter}: ${name}`,
        method: row.method,
        path: (places: Places) => `${pathOf(row, places)}?${parameter}=${value}`,
        byAdmin: isByAdmin(row.permission),
      })),
    ),
  );

const jsons: readonly HostileRequest[] = hostileFields.flatMap(({ title, method, path, body, byAdmin }) =>
  Object.entries(hostileValues).map(([name, value]) => ({
    title: `${title}: ${name} (JSON)`,
    method,
    path,
    type: "application/json",
    body: () => body(value),
    byAdmin,
  })),
);

/** Hostile requests by the kind of their input. */
export const hostileRequests = { JSON: jsons, forms, queries: searches };
