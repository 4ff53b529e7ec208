import { namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();

describe("answers", () => {
  test("by id, and by username in any case", async () => {
    const user = await ci.aUser("Ann.B");
    expect((await ci.accounts.getUser({ by: { $case: "id", value: user.id } })).user).toEqual(user);
    expect((await ci.accounts.getUser({ by: { $case: "username", value: "aNN.b" } })).user).toEqual(user);
  });
});

describe("not_found", () => {
  test("ids and usernames that do not exist, e-mails, and nothing at all", async () => {
    const user = await ci.aUser();
    const refused = { code: "not_found" };
    await expect(ci.accounts.getUser({ by: { $case: "id", value: 999_999 } })).rejects.toMatchObject(refused);
    await expect(ci.accounts.getUser({ by: { $case: "username", value: "x" } })).rejects.toMatchObject(refused);
    await expect(ci.accounts.getUser({ by: { $case: "username", value: user.email } })).rejects.toMatchObject(refused);
    await expect(ci.accounts.getUser({})).rejects.toMatchObject(refused);
  });
});
