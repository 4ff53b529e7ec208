import { openMongo } from "@ci/kit/mongo/mongo";
import { rotateSecrets } from "@ci/kit/security/rotate";
import { aDisk } from "@ci/testkit/a-disk";
import { startAccounts } from "@ci/testkit/accounts";
import { eventually } from "@ci/testkit/eventually";
import { keysNamedIn, rotation } from "@ci/testkit/keys";
import { suite } from "@ci/testkit/suite";
import { encryptedFields } from "../src/store/encrypted-fields.js";
import { serving, type } from "./_server.js";
import { bootImages } from "./_suite.js";

const own = suite();

test("a pending download continues with only the new key", async () => {
  await using accounts = await startAccounts(own);
  const ada = await accounts.aUser("ada");
  const body = aDisk({ sizeBytes: 100_000 });
  await using server = await serving({ status: 503 }, { status: 200, headers: type, body });
  const boot = (keyring: typeof rotation.before) =>
    bootImages(own, accounts.address, { keyring, downloadPauseMs: 3_600_000 });
  const before = await boot(rotation.before);
  const stored = async () =>
    JSON.stringify(
      await before.db
        .collection("images")
        .find({ _id: { $gt: 0 } as never })
        .toArray(),
    );
  const image = await before.download(ada, `${server.url}/disk?secret`);
  await eventually(async () => expect(JSON.parse(await stored())).toMatchObject([{ fetch: { failures: 1 } }]));
  expect(keysNamedIn(await stored())).toEqual(["old"]);
  expect(await rotateSecrets(before.db, rotation.during, encryptedFields)).toEqual({ renewed: 1, left: new Map() });
  expect(keysNamedIn(await stored())).toEqual(["new"]);
  const pausing = { "fetch.dueAt": { $exists: true } };
  await before[Symbol.asyncDispose]();
  await using mongo = await openMongo(own.mongoUrl, before.db.databaseName);
  await mongo.db.collection("images").updateMany(pausing, { $set: { "fetch.dueAt": new Date(0) } });
  await using after = await boot(rotation.after);
  expect((await after.finished(ada, image)).download?.error).toBeUndefined();
  expect(await after.read(ada, image.id)).toEqual(body);
  expect(await rotateSecrets(after.db, rotation.during, encryptedFields)).toEqual({ renewed: 0, left: new Map() });
});
