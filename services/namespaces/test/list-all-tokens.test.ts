import { runAs } from "@ci/kit/rpc/caller";
import type { Token, User } from "@ci/proto/namespaces/v1/accounts";
import { namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
let ann: User;
let bob: User;

beforeAll(async () => {
  [ann, bob] = [await ci.aUser("ann"), await ci.aUser("bob")];
});

async function aToken({ username }: User, name: string): Promise<Token> {
  const request = { username, name, scope: "build:read" };
  return (await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request))).token!;
}
const list = async (request: { username?: string; search?: string; page?: { number: number } }) =>
  ci.accounts.listAllTokens({ search: "", ...request });
const names = async (request: Parameters<typeof list>[0]) => (await list(request)).tokens.map(({ name }) => name);

describe("succeeds", () => {
  test("lists the tokens of all users, newest first", async () => {
    const created = [await aToken(ann, "laptop"), await aToken(bob, "Deploy"), await aToken(ann, "deploy.old")];
    const { tokens } = await list({});
    expect(tokens.slice(0, 3)).toEqual(created.reverse());
    expect(tokens.at(-1)).toMatchObject({ name: "bootstrap" });
  });

  test("finds them by a part of their name, by their user in any case, and by both", async () => {
    expect(await names({ search: "DEPLOY" })).toEqual(["deploy.old", "Deploy"]);
    expect(await names({ search: "y.o" })).toEqual(["deploy.old"]);
    expect(await names({ username: "ANN" })).toEqual(["deploy.old", "laptop"]);
    expect(await names({ username: "bob", search: "ep" })).toEqual(["Deploy"]);
    expect(await names({ username: "nobody" })).toEqual([]);
  });

  test("leaves deleted tokens out", async () => {
    const { id } = await aToken(ann, "gone");
    expect(await names({ search: "gone" })).toEqual(["gone"]);
    // A deletion leaves this behind until its event is published.
    await ci.db.collection("tokens").updateOne({ _id: id as never }, { $set: { deletedAt: new Date() } });
    expect(await names({ search: "gone" })).toEqual([]);
  });

  test("returns pages of 25", async () => {
    for (let index = 10; index < 36; index++) await aToken(bob, `paged${index}`);
    expect((await list({ search: "paged" })).page).toMatchObject({ hasNext: true });
    expect(await names({ search: "paged", page: { number: 2 } })).toEqual(["paged10"]);
    expect((await list({ search: "paged", page: { number: 3 } })).page).toMatchObject({ lastPage: 2 });
    expect((await list({ username: "nobody", page: { number: 3 } })).page).toMatchObject({ lastPage: 1 });
  });
});
