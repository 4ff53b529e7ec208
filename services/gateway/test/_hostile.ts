import { aManifest, aWord } from "@ci/testkit/builders";
import type { Row } from "../src/http/row.js";
import { routes } from "../src/routes.js";

const nestedIn = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;

/** Values as JSON that no field wants: long texts, long lists, deep nesting, control characters, odd numbers. */
export const hostileValues: Readonly<Record<string, string>> = {
  "2 MB of text": JSON.stringify("x".repeat(1_900_000)),
  "a million pairs of a character": JSON.stringify("😀".repeat(450_000)),
  "control characters": JSON.stringify("\u0001".repeat(300_000)),
  separators: JSON.stringify("a/:,@= ".repeat(250_000)),
  "a NUL and lone surrogates": '"\\u0000\\ud800\\udfff"',
  "100,000 texts": `[${Array.from({ length: 100_000 }, (_, i) => `"e${i}"`).join(",")}]`,
  "100,000 empty objects": `[${"{},".repeat(99_999)}{}]`,
  "100,000 nested lists": nestedIn(100_000, "[", "]"),
  "100,000 nested objects": nestedIn(100_000, '{"a":', "}"),
  "30 nested lists": nestedIn(30, "[", "]"),
  "a huge number": `1${"0".repeat(400)}`,
  "a number of 1 MB": "1".repeat(1_000_000),
};

/** Path parameters of records that exist. */
export interface Places {
  readonly user: string;
  readonly namespace: string;
  readonly ids: Readonly<Record<string, number>>;
}

export const pathOf = (row: Row, { user, namespace, ids }: Places): string =>
  row.path
    .replace(":username/:path", `${user}/${namespace}`)
    .replace(":username", user)
    .replace(":user/:number", `${user}/1`)
    .replace("webhooks/:id", `webhooks/${ids.webhook}`)
    .replace("cron/:id", `cron/${ids.cron}`)
    .replace("keys/:id", `keys/${ids.key}`)
    .replace(/:\w+\+?/g, "1");

/** What the other fields of a request contain, so that a service looks at all of them. */
export const plausible: Readonly<Record<string, () => unknown>> = {
  manifest: () => aManifest(),
  email: () => `${aWord()}@example.com`,
  payload_url: () => `https://${aWord()}.example.com`,
  url: () => "https://git.example.com/a/b.git",
  provider: () => "github",
  scope: () => "build:read",
  name: () => aWord("n"),
  username: () => aWord("u"),
  key: () => aWord("K").replaceAll(/\W/g, "_"),
  value: () => "some value",
  secret: () => "hush",
};

export interface HostileField {
  readonly title: string;
  readonly method: string;
  readonly path: (places: Places) => string;
  /** The body, with this JSON as the field's value. */
  readonly body: (value: string) => string;
  readonly byAdmin: boolean;
}

function fieldOf(row: Row, field: string, fields: readonly string[]): HostileField {
  const { method, path, permission, action } = row;
  const others = () => fields.filter((name) => name !== field && plausible[name]);
  const pairs = (value: string) =>
    [...others().map((name) => `"${name}":${JSON.stringify(plausible[name]!())}`), `"${field}":${value}`].join();
  return {
    title: `${method} ${path} ${field}`,
    method,
    path: (places) => pathOf(row, places),
    body: (value) => (action.whole ? value : `{${pairs(value)}}`),
    byAdmin: String(permission).startsWith("user:"),
  };
}

/** Every field of every JSON body that the table of routes has. */
export const hostileFields: readonly HostileField[] = routes.flatMap((row) => {
  const fields = Object.keys(row.action.body ?? row.action.download ?? {});
  return fields.map((field) => fieldOf(row, field, fields));
});
