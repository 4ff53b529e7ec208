import { randomBytes } from "node:crypto";
import { runAs } from "@ci/kit/caller";
import { createLog } from "@ci/kit/log";
import { parseKeys } from "@ci/kit/secrets";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { suite } from "@ci/testkit/suite";
import { reencrypt } from "../src/reencrypt.js";
import { keyStore } from "../src/store/keys.js";
import { variableStore } from "../src/store/variables.js";
import { bootResources, privateKey } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
const log = createLog("test", "silent");
const entry = (id: string, bytes: Buffer) => `${id}:${bytes.toString("base64")}`;
const oldKey = entry("old", randomBytes(32));
const newKey = entry("new", randomBytes(32));
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;

beforeAll(async () => {
  service = await bootResources(own, { keyring: parseKeys(oldKey) });
  ada = await service.aUser();
});
afterAll(() => service.close());

const stores = () => ({ variables: variableStore(service.db, () => {}), keys: keyStore(service.db, () => {}) });
const sealedWith = async () => {
  const found = await Promise.all(
    ["variables", "keys"].map((name) => service.db.collection(name).distinct("sealedWith")),
  );
  return [...new Set(found.flat())];
};

test("what was sealed with an older key is sealed with the first, and opens with it alone", async () => {
  for (const key of ["A", "B", "C"])
    await runAs(as(ada.id), () => service.variables.createVariable({ key, value: `value of ${key}`, mask: true }));
  await runAs(as(ada.id), () => service.keys.createKey({ name: "id", privateKey }));
  const both = parseKeys(`${newKey},${oldKey}`);
  expect(await reencrypt({ ...stores(), keyring: both, log })).toEqual({ resealed: 4, unreadable: 0 });
  expect(await sealedWith()).toEqual(["new"]);
  expect(await reencrypt({ ...stores(), keyring: both, log })).toEqual({ resealed: 0, unreadable: 0 });
  const after = await bootResources(own, { keyring: parseKeys(newKey) });
  try {
    const { variables, keys } = await after.buildInputs.getBuildInputs({ userId: ada.id });
    expect(variables.map(({ value }) => value)).toEqual(["value of A", "value of B", "value of C"]);
    expect(keys).toMatchObject([{ privateKey }]);
  } finally {
    await after.close();
  }
});

test("what cannot be opened is counted and left, the rest goes on", async () => {
  const other = parseKeys(`${entry("third", randomBytes(32))},${newKey}`);
  const variables = service.db.collection<{ key: string; sealed: string }>("variables");
  const broken = { sealed: `unknown:${randomBytes(40).toString("base64")}` };
  await variables.updateOne({ key: "B", scope: `u${ada.id}` } as never, { $set: broken });
  expect(await reencrypt({ ...stores(), keyring: other, log })).toEqual({ resealed: 3, unreadable: 1 });
  expect(await variables.findOne({ key: "B", scope: `u${ada.id}` } as never)).toMatchObject(broken);
  await variables.deleteOne({ key: "B", scope: `u${ada.id}` } as never);
});
