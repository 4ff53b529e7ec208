import { namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();

describe("succeeds", () => {
  test("finds a user by id, and by username ignoring case", async () => {
    const user = await ci.aUser("Ann.B");
    expect((await ci.accounts.getUser({ by: { $case: "id", value: user.id } })).user).toEqual(user);
    expect((await ci.accounts.getUser({ by: { $case: "username", value: "aNN.b" } })).user).toEqual(user);
  });
});

describe("not_found", () => {
  test("rejects missing ids and usernames, e-mails, and an empty request", async () => {
    const user = await ci.aUser();
    const notFound = { code: "not_found" };
    await expect(ci.accounts.getUser({ by: { $case: "id", value: 999_999 } })).rejects.toMatchObject(notFound);
    await expect(ci.accounts.getUser({ by: { $case: "username", value: "x" } })).rejects.toMatchObject(notFound);
    await expect(ci.accounts.getUser({ by: { $case: "username", value: user.email } })).rejects.toMatchObject(notFound);
    await expect(ci.accounts.getUser({})).rejects.toMatchObject(notFound);
  });
});
