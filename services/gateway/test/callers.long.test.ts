import { readdirSync } from "node:fs";
import { join } from "node:path";
import { callersOf, type ServiceName, serviceNames } from "@ci/kit/rpc/callers";
import { asFault } from "@ci/kit/rpc/fault";
import type { Identity } from "@ci/kit/rpc/identity";
import { constellation } from "@ci/testkit/constellation";
import { connect, openedIdentity } from "@ci/testkit/identities";
import { thisTree } from "@ci/testkit/processes";

interface Method {
  readonly options: object;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

interface Definition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, Method>>;
}

const generated = join(thisTree, "libs/proto/src/gen/ci");

/** Every service that the proto defines. */
const definitions = readdirSync(generated, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => Object.entries(require(join(generated, file)) as Record<string, unknown>))
  .filter(([name]) => /ServiceDefinition$/.test(name))
  .map(([, definition]) => definition as Definition);

const rows = definitions.flatMap((definition) =>
  Object.entries(definition.methods).map(([name, method]) => ({ definition, name, method })),
);
const callersIn = ({ method }: (typeof rows)[number]) => {
  const { forUsers, forItself } = callersOf(method);
  return [...forUsers, ...forItself];
};

const ci = constellation();
const names = new Map(serviceNames.map((name) => [name, openedIdentity(name)]));
const unproven: Identity = { ...openedIdentity("gateway"), prove() {} };

/** Calls a method with an empty request. Returns how it failed. */
async function failureOf({ definition, name, method }: (typeof rows)[number], identity: Identity): Promise<unknown> {
  const owner = definition.fullName.split(".")[1] as keyof typeof ci.addresses | "common";
  // Every service has those of `common`.
  await using peer = connect(ci.addresses[owner === "common" ? "builds" : owner], identity);
  const client = peer.client(definition as never) as unknown as Record<string, (request: unknown) => unknown>;
  const answer = client[name]!(method.requestStream ? (async function* () {})() : {});
  try {
    if (method.responseStream) for await (const _part of answer as AsyncIterable<unknown>) break;
    else await (answer as Promise<unknown>);
    return undefined;
  } catch (error) {
    const { code, message } = asFault(error);
    return { code, message };
  }
}

const denial = { code: "forbidden", message: "This service may not make this call" };

test("the table is complete: every RPC names its callers, and each service at most once", () => {
  expect(rows.length).toBeGreaterThan(80);
  for (const row of rows) {
    const callers = callersIn(row);
    expect([row.name, callers.length > 0, new Set(callers).size]).toEqual([row.name, true, callers.length]);
  }
});

describe.each(definitions.map((definition) => [definition.fullName, definition] as const))(
  "%s",
  (_name, definition) => {
    const own = rows.filter((row) => row.definition === definition);

    it.each(own.map((row) => [row.name, row] as const))(
      "%s is denied to all services but its callers",
      async (_n, row) => {
        const callers = new Set<ServiceName>(callersIn(row));
        for (const [service, identity] of names)
          if (!callers.has(service)) expect([service, await failureOf(row, identity)]).toEqual([service, denial]);
      },
    );

    it.each(own.map((row) => [row.name, row] as const))("%s is denied without an identity", async (_n, row) => {
      expect(await failureOf(row, unproven)).toEqual(denial);
    });
  },
);
