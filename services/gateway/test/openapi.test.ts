import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { constellation } from "@ci/testkit/constellation";
import { routes } from "../src/routes.js";

const ci = constellation();

/** Returns a path that matches a row's template. */
const aPath = (path: string) =>
  path
    .replace(":path", "some/where")
    .replace(/:(number|id|delivery)/g, "7")
    .replace(/:(\w+)\+?/g, "any");

const templateOf = (path: string) => path.replace(/:(\w+)\+?/g, "{$1}");

type Operations = Record<string, { operationId: string; tags: string[]; parameters: { name: string }[] }>;
const operationsOf = (paths: Record<string, Operations>) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );

describe("the OpenAPI document", () => {
  test("is OpenAPI 3.1 and needs no token", async () => {
    const { status, json } = await ci.as().get("/openapi.json");
    expect(status).toBe(200);
    expect(json).toMatchObject({ openapi: "3.1.0", info: { title: "Service CI" }, servers: [{ url: ci.url }] });
    expect(json.components.schemas.Build.properties.namespace).toEqual({
      anyOf: [{ $ref: "#/components/schemas/NamespaceCopy" }, { type: "null" }],
      description: "The namespace; null for a build without one",
    });
  });

  test("passes redocly lint without errors", async () => {
    const { text } = await ci.as().get("/openapi.json");
    const dir = await mkdtemp(join(tmpdir(), "ci-openapi-"));
    await using _ = { [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
    await writeFile(join(dir, "openapi.json"), text);
    const redocly = join(dirname(require.resolve("@redocly/cli/package.json")), "bin/cli.js");
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const args = [redocly, "lint", join(dir, "openapi.json"), "--format=json"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: dir, env });
    expect(JSON.parse(stdout).totals).toMatchObject({ errors: 0 });
  });

  test("names every operation once, with a tag and every parameter of its path", async () => {
    const { paths, tags } = (await ci.as().get("/openapi.json")).json;
    const operations = operationsOf(paths);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length);
    expect(paths["/b/{user}/{number}"].get).toMatchObject({ operationId: "getBuild", tags: ["builds"] });
    const groups = tags.map(({ name }: { name: string }) => name);
    for (const { path, operationId, tags, parameters } of operations) {
      expect([operationId, operationId]).toEqual([expect.stringMatching(/^[a-z][A-Za-z]+$/), operationId]);
      expect([operationId, tags.length, groups]).toEqual([operationId, 1, expect.arrayContaining(tags)]);
      for (const [, name] of path.matchAll(/\{(\w+)\}/g))
        expect(parameters.map((parameter) => parameter.name)).toContain(name);
    }
  });

  test("describes every parameter and every field of a body", async () => {
    const { paths } = (await ci.as().get("/openapi.json")).json;
    const undescribed: string[] = [];
    for (const { operationId, parameters, requestBody } of operationsOf(paths) as never as Described[]) {
      for (const { name, description } of parameters) if (!description) undescribed.push(`${operationId} ${name}`);
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        for (const [name, { description }] of Object.entries(schema.properties ?? {}))
          if (!description) undescribed.push(`${operationId} ${name}`);
    }
    expect(undescribed).toEqual([]);
  });

  // The services write the complaints, so the gateway's document could differ from them.
  test("requires exactly the fields that the API requires in an empty body", async () => {
    const { token } = await ci.signUp();
    const { paths } = (await ci.as().get("/openapi.json")).json;
    for (const path of ["/builds", "/namespaces", "/variables", "/keys", "/cron", "/tokens"]) {
      const { required } = paths[path].post.requestBody.content["application/json"].schema;
      const { status, json } = await ci.as(token).post(path, {});
      expect([path, status, Object.keys(json).toSorted()]).toEqual([path, 400, required.toSorted()]);
    }
    const { required } = paths["/users"].post.requestBody.content["application/json"].schema;
    expect(Object.keys((await ci.admin.post("/users", {})).json).toSorted()).toEqual(required.toSorted());
  });

  test("refers only to existing schemas and responses", async () => {
    const { text, json } = await ci.as().get("/openapi.json");
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(Object.keys(json.components.schemas)).toContain(name);
    for (const [, name] of text.matchAll(/"#\/components\/responses\/(\w+)"/g))
      expect(Object.keys(json.components.responses)).toContain(name);
  });
});

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: { readonly properties?: Record<string, { readonly description?: string }> } }>
    >;
  };
}

/** Returns the paths in a schema that allow any value, or objects with unknown or missing fields. */
function looseFields(schema: Record<string, unknown>, location: string): string[] {
  const {
    $ref,
    type,
    anyOf,
    items,
    properties = {},
    additionalProperties: additional,
    required,
  } = schema as never as LooseSchema;
  if ($ref || "const" in schema || "enum" in schema) return [];
  if (anyOf) return anyOf.flatMap((entry, i) => looseFields(entry, `${location}|${i}`));
  if (items) return looseFields(items, `${location}[]`);
  if (type !== "object") return type ? [] : [location];
  if (typeof additional === "object") return looseFields(additional, `${location}.*`);
  const fields = Object.entries(properties).flatMap(([name, field]) => looseFields(field, `${location}.${name}`));
  // A map of complaints has at least one of its fields, every other object all of them.
  const complete = required?.length === Object.keys(properties).length || "minProperties" in schema;
  return additional === false && complete ? fields : [location, ...fields];
}
interface LooseSchema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly anyOf?: Record<string, unknown>[];
  readonly items?: Record<string, unknown>;
  readonly properties?: Record<string, Record<string, unknown>>;
  readonly additionalProperties?: false | Record<string, unknown>;
  readonly required?: string[];
}

describe("the responses of the OpenAPI document", () => {
  test("describe every field and header", async () => {
    const { paths, components } = (await ci.as().get("/openapi.json")).json;
    const inlineResponses: [
      string,
      { headers: object; content?: Record<string, { schema: Record<string, unknown> }> },
    ][] = [];
    for (const [path, methods] of Object.entries<Record<string, { responses: object }>>(paths))
      for (const [method, { responses }] of Object.entries(methods))
        for (const [status, response] of Object.entries(responses)) {
          if (response.$ref) expect(response.$ref).toBe(`#/components/responses/${status}`);
          else inlineResponses.push([`${method} ${path} ${status}`, response]);
        }
    const everyResponse = [...inlineResponses, ...Object.entries<(typeof inlineResponses)[0][1]>(components.responses)];
    for (const [name, { headers }] of everyResponse)
      expect([name, headers]).toMatchObject([name, { "X-Request-Id": { $ref: "#/components/headers/RequestId" } }]);
    const schemas = everyResponse.flatMap(([name, { content = {} }]) =>
      Object.entries(content).map(([type, { schema }]): [string, Record<string, unknown>] => [
        `${name} ${type}`,
        schema,
      ]),
    );
    const records = Object.entries<Record<string, unknown>>(components.schemas);
    const openSchemas = [...schemas, ...records].flatMap(([name, schema]) => looseFields(schema, name));
    // Only documents in formats of others have open schemas.
    const documents = ["/openapi.json", "/manifest.schema.json"];
    expect(openSchemas).toEqual(documents.map((path) => `get ${path} 200 application/json.*`));
  });

  test("with status 400 name exactly the fields that can be invalid", async () => {
    const { paths } = (await ci.as().get("/openapi.json")).json;
    const complaints = (path: string, method: string) =>
      paths[path][method].responses["400"]?.content["application/json"].schema;
    const map = (schema: { anyOf?: object[]; properties?: object }) =>
      Object.keys(((schema.anyOf?.[0] as typeof schema) ?? schema).properties!);
    expect(map(complaints("/builds", "post"))).toEqual(["manifest", "comment", "tags", "variables"]);
    expect(map(complaints("/b/{user}/{number}/restart", "post"))).toEqual([
      "variables",
      "group",
      "status",
      "manifest",
      "tags",
    ]);
    expect(map(complaints("/users/{username}", "delete"))).toEqual(["username"]);
    expect(map(complaints("/images", "post"))).toEqual(["name", "namespace", "download_url", "file", "images"]);
    expect(complaints("/variables/{id}", "get")).toEqual({ $ref: "#/components/schemas/BadRequest" });
  });

  test.each(["/version", "/b/any/7/jobs"])("include the one to an address that is too long (%s)", async (path) => {
    const { status, json } = await ci.as().get(`${path}?search=${"x".repeat(20_000)}`);
    expect([status, json]).toEqual([400, { message: "Malformed request" }]);
  });
});

describe("every row", () => {
  test.each(routes.map(({ method, path, permission }) => [method, path, permission] as const))(
    "%s %s is served and described",
    async (method, path, permission) => {
      const { status, json } = await ci.as().send(method, aPath(path));
      // A hook needs a signature instead of a token, and without one it is not found.
      const hook = path.startsWith("/hooks/") ? [404, "Not Found"] : undefined;
      const withoutToken = hook ?? [method === "POST" ? 400 : 200, undefined];
      expect([status, json?.message]).toEqual(permission === "none" ? withoutToken : [401, "Unauthorized"]);
      const operation = ci.description.document.paths[templateOf(path)]![method.toLowerCase()];
      expect(operation).toBeDefined();
    },
  );

  // With two scopes, each row lacks at least one of them.
  test.each(["cron:read", "invite:delete"] as const)("rejects a token that has only %s", async (scope) => {
    const { token } = await ci.signUp(undefined, scope);
    const user = ci.as(token);
    for (const { method, path, permission } of routes) {
      const wanted = [permission].flat();
      if (wanted.some((name) => name === "none" || name === "any" || name === scope)) continue;
      const { status, json } = await user.send(method, aPath(path));
      const refusal = { message: `Token lacks permission ${wanted[0]!.split(" ")[0]}` };
      expect([method, path, status, json]).toEqual([method, path, 403, refusal]);
    }
  });
});
