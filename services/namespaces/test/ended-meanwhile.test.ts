import { randomBytes } from "node:crypto";
import { sendUpload } from "@ci/kit/bytes/upload";
import { type Caller, runAs } from "@ci/kit/rpc/caller";
import { Claims } from "@ci/proto/namespaces/v1/accounts";
import { ObjectServiceDefinition } from "@ci/proto/namespaces/v1/resources";
import { eventually } from "@ci/testkit/eventually";
import { gate, idsBehind } from "@ci/testkit/gate";
import { as, type Booted, bootNamespaces, namespacesSuite } from "./_suite.js";

// One replica stalls between its last check and its write until another replica has ended what the check has found.

const ci = namespacesSuite({ createUsers: true });
const from = { userAgent: "Firefox", address: "203.0.113.9" };
const unauthenticated = { code: "unauthenticated" };
const live = { deletedAt: { $exists: false } };

const claimsOf = (subject: string) =>
  Claims.fromPartial({ issuer: "https://login.example", subject, username: `person${subject}` });

/** Creates a user whose only token may do everything. */
async function aHolder() {
  const user = await ci.aUser();
  const { token: full } = await ci.accounts.createSession({
    by: { $case: "claims", value: claimsOf(randomBytes(8).toString("hex")) },
    ...from,
  });
  const request = { username: user.username, name: "first", scope: full!.scope };
  const { token, secret } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
  return { user, token: token!, secret, caller: as(user.id, token) };
}
type Holder = Awaited<ReturnType<typeof aHolder>>;

const deleteToken = ({ caller, token }: Holder) => runAs(caller, () => ci.accounts.deleteToken({ id: token.id }));
const deleteUser = async ({ user: { username } }: Holder) =>
  runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username }));

/** Stalls a call of a new replica until `end` has ended what the call has checked. */
async function stalled<T>(call: (replica: Booted) => Promise<T>, end: () => Promise<unknown>): Promise<T> {
  const stall = gate();
  const replica = await bootNamespaces(ci.suite, { createUsers: true }, { db: idsBehind(stall, ci.db) });
  try {
    const calling = call(replica);
    await Promise.race([stall.reached, calling]);
    await end();
    stall.open();
    return await calling;
  } finally {
    await replica.close();
  }
}

const storedOf = ({ user }: Holder, collection: string) =>
  ci.db
    .collection(collection)
    .find({ userId: user.id, ...live })
    .toArray();

describe("a token", () => {
  const request = { name: "second", scope: "build:read" };
  const create = (caller: Caller) => (replica: Booted) => runAs(caller, () => replica.accounts.createToken(request));

  it("is not created by a token that has been deleted meanwhile", async () => {
    const holder = await aHolder();
    const creating = stalled(create(holder.caller), () => deleteToken(holder));
    await expect(creating).rejects.toMatchObject(unauthenticated);
    expect(await storedOf(holder, "tokens")).toEqual([]);
  });

  it("is not created for a user who has been deleted meanwhile", async () => {
    const holder = await aHolder();
    const admin = await ci.anAdmin();
    const createFor = (replica: Booted) =>
      runAs(admin, () => replica.accounts.createToken({ ...request, username: holder.user.username }));
    await expect(stalled(createFor, () => deleteUser(holder))).rejects.toMatchObject({ code: "not_found" });
    expect(await storedOf(holder, "tokens")).toEqual([]);
  });
});

it("an object is not stored for a user who has been deleted while its content arrived", async () => {
  const holder = await aHolder();
  const arriving = gate();
  async function* content() {
    yield Buffer.from("beginning");
    await arriving.pass();
    yield Buffer.from("end");
  }
  const upload = runAs(holder.caller, () =>
    ci.peer.client(ObjectServiceDefinition).uploadObject(sendUpload({ name: "late", namespace: "" }, content())),
  );
  upload.catch(() => undefined);
  await arriving.reached;
  // The checks are over once the service writes the content.
  const uploads = ci.db.collection("objects.uploads");
  await eventually(async () => expect(await uploads.countDocuments({}, { hint: "_id_" })).toBe(1));
  await deleteUser(holder);
  arriving.open();
  await expect(upload).rejects.toMatchObject(unauthenticated);
  expect(await storedOf(holder, "objects")).toEqual([]);
});

describe("a session", () => {
  it.each([
    ["token", deleteToken],
    ["user", deleteUser],
  ] as const)("is not opened by a %s that has been deleted meanwhile", async (_what, end) => {
    const holder = await aHolder();
    const signIn = (replica: Booted) =>
      replica.accounts.createSession({ by: { $case: "token", value: holder.secret }, ...from });
    await expect(stalled(signIn, () => end(holder))).rejects.toMatchObject(unauthenticated);
    expect(await storedOf(holder, "sessions")).toEqual([]);
  });
});

describe("an identity", () => {
  const deleteSession = ({ caller }: Holder, id: number) => runAs(caller, () => ci.accounts.deleteSession({ id }));

  it.each([
    ["session", deleteSession],
    ["token", deleteToken],
    ["user", deleteUser],
  ] as const)("is not connected by a %s that has ended meanwhile", async (_what, end) => {
    const holder = await aHolder();
    const by = { $case: "token", value: holder.secret } as const;
    const { session } = await ci.accounts.createSession({ by, ...from });
    const claims = claimsOf(randomBytes(8).toString("hex"));
    const connect = (replica: Booted) => replica.accounts.connectIdentity({ claims, sessionId: session!.id });
    await expect(stalled(connect, () => end(holder, session!.id))).rejects.toMatchObject(unauthenticated);
    expect(await storedOf(holder, "identities")).toEqual([]);
  });
});
