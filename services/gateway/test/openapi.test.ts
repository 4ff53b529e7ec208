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
