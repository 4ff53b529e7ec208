import { runAs } from "@ci/kit/rpc/caller";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();

describe("succeeds", () => {
  test("lists the caller's tokens in order of creation, without secrets", async () => {
    const [ann, bob] = [await ci.aUser(), await ci.aUser()];
    const admin = await ci.anAdmin();
    const create = async (username: string, name: string) =>
      (await runAs(admin, () => ci.accounts.createToken({ username, name, scope: "build:read" }))).token!;
    const created = [await create(ann.username, "z"), await create(ann.username, "a")];
    await create(bob.username, "b");
    const { tokens } = await runAs(as(ann.id), () => ci.accounts.listTokens({}));
    expect(tokens).toEqual(created);
  });

  test("returns pages of 25", async () => {
    const user = await ci.aUser();
    const admin = await ci.anAdmin();
    for (let index = 0; index < 26; index++) {
      const request = { username: user.username, name: `${index}`, scope: "build:read" };
      await runAs(admin, () => ci.accounts.createToken(request));
    }
    const list = (number: number) => runAs(as(user.id), () => ci.accounts.listTokens({ page: { number } }));
    expect((await list(1)).tokens).toHaveLength(25);
    expect((await list(1)).page).toMatchObject({ hasNext: true });
    expect((await list(2)).tokens.map(({ name }) => name)).toEqual(["25"]);
    expect((await list(3)).page).toMatchObject({ lastPage: 2 });
  });
});

test("rejects a call without a caller", async () => {
  await expect(ci.accounts.listTokens({})).rejects.toMatchObject({ code: "unauthenticated" });
});
