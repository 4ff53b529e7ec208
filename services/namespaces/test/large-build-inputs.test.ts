import { userScope } from "@ci/access/record-scope";
import { openMongo } from "@ci/kit/mongo/mongo";
import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { suite } from "@ci/testkit/suite";
import { type VariableStore, variableStore } from "../src/store/variables.js";
import { bootResources } from "./_resources.js";
import { as, testConfig } from "./_suite.js";

// Variables and keys of one build may have 8 MiB, and the heap does not hold many of them.
const own = suite();
const { pass, open } = gate();
const reads = { running: 0, peak: 0, smallBytes: 0 };
let mongo: Awaited<ReturnType<typeof openMongo>>;
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;

/** Holds whole reads of ada's variables until the gate opens, and counts what is read without a turn. */
const held = (store: VariableStore): VariableStore => ({
  ...store,
  async *each(scopes) {
    if (scopes.includes(userScope(ada.id))) {
      reads.peak = Math.max(reads.peak, ++reads.running);
      await pass();
      reads.running--;
    }
    yield* store.each(scopes);
  },
  async *eachSmall(scopes, maxBytes) {
    for await (const doc of store.eachSmall(scopes, maxBytes)) {
      reads.smallBytes += JSON.stringify(doc).length;
      yield doc;
    }
  },
});

beforeAll(async () => {
  const config = testConfig(own);
  mongo = await openMongo(own.mongoUrl, config.mongoDb);
  const variables = held(variableStore(mongo.db, () => undefined, config.quotas));
  service = await bootResources(own, {}, { variables });
  ada = await service.aUser();
});
afterAll(async () => {
  await service.close();
  await mongo[Symbol.asyncDispose]();
});

const large = "v".repeat(64 * 1024);
const give = (user: User, value: string, count = 1) =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      runAs(as(user.id), () => service.variables.createVariable({ key: `K${n}`, value, namespace: "", mask: false })),
    ),
  );
const valuesOf = async ({ id }: User, objectNames: string[] = []) =>
  (await service.buildInputs.getBuildInputs({ userId: id, objectNames })).variables.map(({ value }) => value);

test("large variables of two of a user's builds are read at a time, and nobody else waits", async () => {
  const [bob, eve] = [await service.aUser(), await service.aUser()];
  await Promise.all([give(ada, large, 3), give(bob, large), give(eve, "small")]);
  reads.smallBytes = 0;
  const asked = Array.from({ length: 16 }, (_, n) => valuesOf(ada, [`object ${n}`]));
  await eventually(() => expect(reads.peak).toBeGreaterThan(0));
  expect(await valuesOf(bob)).toEqual([large]);
  for (let n = 0; n < 16; n++) expect(await valuesOf(eve)).toEqual(["small"]);
  open();
  for (const values of await Promise.all(asked)) expect(values).toEqual([large, large, large]);
  expect(reads.peak).toBe(2);
  expect(reads.smallBytes).toBeLessThan(large.length);
});

test("many small variables that are large together are read in a turn", async () => {
  const user = await service.aUser();
  await give(user, "v".repeat(5_000), 60);
  reads.smallBytes = 0;
  expect(await valuesOf(user)).toHaveLength(60);
  expect(reads.smallBytes).toBeLessThan(300 * 1024);
});
