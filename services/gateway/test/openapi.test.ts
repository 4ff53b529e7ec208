import { constellation } from "@ci/testkit/constellation";
import { routes } from "../src/routes.js";

const ci = constellation();

/** A path that a row answers, made of its template. */
const anAddress = (path: string) =>
  path
    .replace(":path", "some/where")
    .replace(/:(number|id|delivery)/g, "7")
    .replace(/:(\w+)\+?/g, "any");

const written = (path: string) => path.replace(/:(\w+)\+?/g, "{$1}");

describe("the description", () => {
  test("is OpenAPI 3.1 and needs no token", async () => {
    const { status, json } = await ci.as().get("/openapi.json");
    expect(status).toBe(200);
    expect(json).toMatchObject({ openapi: "3.1.0", info: { title: "Service CI" }, servers: [{ url: ci.url }] });
    expect(json.components.schemas.Build.properties.namespace).toEqual({
      anyOf: [{ $ref: "#/components/schemas/NamespaceCopy" }, { type: "null" }],
    });
  });

  test("names every operation once, and every parameter of its path", async () => {
    const { paths } = (await ci.as().get("/openapi.json")).json;
    const operations = Object.entries<Record<string, { operationId: string; parameters: { name: string }[] }>>(paths);
    const ids = operations.flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(routes.length);
    for (const [path, methods] of operations)
      for (const { parameters } of Object.values(methods))
        for (const [, name] of path.matchAll(/\{(\w+)\}/g)) expect(parameters.map((one) => one.name)).toContain(name);
  });

  test("leads nowhere that is not there", async () => {
    const { text, json } = await ci.as().get("/openapi.json");
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(Object.keys(json.components.schemas)).toContain(name);
    for (const [, name] of text.matchAll(/"#\/components\/responses\/(\w+)"/g))
      expect(Object.keys(json.components.responses)).toContain(name);
  });
});

/** What a schema leaves open: values of any kind, and objects with fields that nobody has described. */
function loose(schema: Record<string, unknown>, at: string): string[] {
  const { $ref, type, anyOf, items, properties = {}, additionalProperties: more, required } = schema as never as Loose;
  if ($ref || "const" in schema || "enum" in schema) return [];
  if (anyOf) return anyOf.flatMap((one, i) => loose(one, `${at}|${i}`));
  if (items) return loose(items, `${at}[]`);
  if (type !== "object") return type ? [] : [at];
  if (typeof more === "object") return loose(more, `${at}.*`);
  const fields = Object.entries(properties).flatMap(([name, of]) => loose(of, `${at}.${name}`));
  // A map of complaints has at least one of its fields; every other object has all of them but a list of none.
  const whole = required?.length === Object.keys(properties).length || "minProperties" in schema;
  return more === false && whole ? fields : [at, ...fields];
}
interface Loose {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly anyOf?: Record<string, unknown>[];
  readonly items?: Record<string, unknown>;
  readonly properties?: Record<string, Record<string, unknown>>;
  readonly additionalProperties?: false | Record<string, unknown>;
  readonly required?: string[];
}

describe("answers", () => {
  test("are described field by field, with their headers", async () => {
    const { paths, components } = (await ci.as().get("/openapi.json")).json;
    const answers: [string, { headers: object; content?: Record<string, { schema: Record<string, unknown> }> }][] = [];
    for (const [path, methods] of Object.entries<Record<string, { responses: object }>>(paths))
      for (const [method, { responses }] of Object.entries(methods))
        for (const [status, answer] of Object.entries(responses)) {
          if (answer.$ref) expect(answer.$ref).toBe(`#/components/responses/${status}`);
          else answers.push([`${method} ${path} ${status}`, answer]);
        }
    const all = [...answers, ...Object.entries<(typeof answers)[0][1]>(components.responses)];
    for (const [what, { headers }] of all)
      expect([what, headers]).toMatchObject([what, { "X-Request-Id": { $ref: "#/components/headers/RequestId" } }]);
    const schemas = all.flatMap(([what, { content = {} }]) =>
      Object.entries(content).map(([type, { schema }]): [string, Record<string, unknown>] => [
        `${what} ${type}`,
        schema,
      ]),
    );
    const records = Object.entries<Record<string, unknown>>(components.schemas);
    const open = [...schemas, ...records].flatMap(([what, schema]) => loose(schema, what));
    // This one describes itself.
    expect(open).toEqual(["get /openapi.json 200 application/json.*"]);
  });

  test("of a row name what it may complain about, and nothing else", async () => {
    const { paths } = (await ci.as().get("/openapi.json")).json;
    const complaints = (path: string, method: string) =>
      paths[path][method].responses["400"]?.content["application/json"].schema;
    const map = (schema: { anyOf?: object[]; properties?: object }) =>
      Object.keys(((schema.anyOf?.[0] as typeof schema) ?? schema).properties!);
    expect(map(complaints("/builds", "post"))).toEqual(["manifest", "comment", "tags"]);
    expect(map(complaints("/b/{user}/{number}/restart", "post"))).toEqual(["status", "manifest", "tags"]);
    expect(map(complaints("/users/{username}", "delete"))).toEqual(["username"]);
    expect(map(complaints("/images", "post"))).toEqual(["name", "namespace", "download_url", "file"]);
    expect(complaints("/variables/{id}", "get")).toBeUndefined();
  });
});

describe("every row", () => {
  test.each(routes.map(({ method, path, permission }) => [method, path, permission] as const))(
    "%s %s is served and described",
    async (method, path, permission) => {
      const { status, json } = await ci.as().send(method, anAddress(path));
      // A hook needs no token but a signature; without it there is none such.
      const open = path.startsWith("/hooks/") ? [404, "Not Found"] : [200, undefined];
      expect([status, json?.message]).toEqual(permission === "none" ? open : [401, "Unauthorized"]);
      const operation = ci.description.document.paths[written(path)]![method.toLowerCase()];
      expect(operation).toBeDefined();
    },
  );

  // Two, because no row shall be left out for being what the token is for.
  test.each(["cron:read", "invite:delete"] as const)("asks a token for %s for its permission", async (scope) => {
    const { token } = await ci.signUp(undefined, scope);
    const holder = ci.as(token);
    for (const { method, path, permission } of routes) {
      const wanted = [permission].flat();
      if (wanted.some((one) => one === "none" || one === "any" || one === scope)) continue;
      const { status, json } = await holder.send(method, anAddress(path));
      const refusal = { message: `Token lacks permission ${wanted[0]}` };
      expect([method, path, status, json]).toEqual([method, path, 403, refusal]);
    }
  });
});
