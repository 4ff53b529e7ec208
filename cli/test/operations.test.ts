import { constellation } from "@ci/testkit/constellation";
import { operations } from "../src/operations/index.js";

const ci = constellation();

test("every command that is one request is in the API's description, with its fields", () => {
  interface Described {
    readonly parameters?: readonly { readonly name: string; readonly in: string }[];
    readonly requestBody?: {
      readonly content: Readonly<Record<string, { schema: { properties?: object; required?: string[] } }>>;
    };
  }
  const { paths } = ci.description.document as unknown as { paths: Record<string, Record<string, Described>> };
  // It names the path, or narrows the search for a name.
  const known = new Set(["namespace"]);
  const shape = (path: string) =>
    path
      .replace("{namespace}", "/n/{username}/{path}")
      .replace("{build}", "/b/{user}/{number}")
      .replace("{tag}", "{name}")
      .replace("collaborators/{username}", "collaborators/{user}");
  for (const [name, { path, method, args, options, upload, bodyOf }] of Object.entries(operations)) {
    const described = paths[shape(path)]?.[method.toLowerCase()];
    expect([name, described]).toEqual([name, expect.anything()]);
    if (bodyOf) continue;
    const bodies = Object.values(described!.requestBody?.content ?? {});
    const fields = [
      ...(described!.parameters ?? []).map((parameter) => parameter.name),
      ...bodies.flatMap(({ schema }) => Object.keys(schema.properties ?? {})),
    ];
    const given = Object.keys({ ...args, ...options });
    const sent = given.filter((field) => !path.includes(`{${field}}`) && !known.has(field) && field !== upload);
    expect([name, fields]).toEqual([name, expect.arrayContaining(sent)]);
    const required = bodies.length === 1 ? (bodies[0]!.schema.required ?? []) : [];
    expect([name, given]).toEqual([name, expect.arrayContaining(required)]);
  }
});
