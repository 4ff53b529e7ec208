import { runAs } from "@ci/kit/rpc/caller";
import { rotateSecrets } from "@ci/kit/security/rotate";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { keysNamedIn, rotation } from "@ci/testkit/keys";
import { suite } from "@ci/testkit/suite";
import { encryptedFields } from "../src/store/encrypted-fields.js";
import { bootResources, privateKey } from "./_resources.js";
import { as } from "./_suite.js";

const own = suite();
let service: Awaited<ReturnType<typeof bootResources>>;
let ada: User;

beforeAll(async () => {
  service = await bootResources(own, { keyring: rotation.before });
  ada = await service.aUser();
});
afterAll(() => service.close());

/** Returns the ids of all keys that stored secrets are encrypted with. */
const keysInUse = async () => {
  const stored = await Promise.all(
    ["variables", "keys"].map((name) =>
      service.db
        .collection(name)
        .find({ _id: { $gt: 0 } as never })
        .toArray(),
    ),
  );
  return keysNamedIn(JSON.stringify(stored));
};

test("re-encrypts secrets of older keys so that the first key alone decrypts them", async () => {
  for (const key of ["A", "B", "C"])
    await runAs(as(ada.id), () => service.variables.createVariable({ key, value: `value of ${key}`, mask: true }));
  await runAs(as(ada.id), () => service.keys.createKey({ name: "id", privateKey }));
  expect(await keysInUse()).toEqual(["old"]);
  expect(await rotateSecrets(service.db, rotation.during, encryptedFields)).toEqual({ renewed: 4, left: new Map() });
  expect(await keysInUse()).toEqual(["new"]);
  expect(await rotateSecrets(service.db, rotation.during, encryptedFields)).toEqual({ renewed: 0, left: new Map() });
  const after = await bootResources(own, { keyring: rotation.after });
  try {
    const { variables, keys } = await after.buildInputs.getBuildInputs({ userId: ada.id });
    expect(variables.map(({ value }) => value)).toEqual(["value of A", "value of B", "value of C"]);
    expect(keys).toMatchObject([{ privateKey }]);
  } finally {
    await after.close();
  }
});
