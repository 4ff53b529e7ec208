import { namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();

beforeAll(async () => {
  for (const username of ["zoe", "Bob", "ann.x", "annex"]) await ci.aUser(username);
});

const usernames = async (search: string) =>
  (await ci.accounts.listUsers({ search })).users.map((user) => user.username);

describe("succeeds", () => {
  test("lists all users by username, in order of code points", async () => {
    expect(await usernames("")).toEqual(["Bob", "admin", "ann.x", "annex", "zoe"]);
  });

  test("searches usernames, ignoring case, without wildcards", async () => {
    expect(await usernames("NN")).toEqual(["ann.x", "annex"]);
    expect(await usernames("n.x")).toEqual(["ann.x"]);
  });

  test("returns pages of 25", async () => {
    for (let index = 10; index < 36; index++) await ci.aUser(`paged${index}`);
    const request = { search: "paged", page: { number: 2 } };
    expect((await ci.accounts.listUsers({ search: "paged" })).page).toMatchObject({ hasNext: true });
    const { users, page } = await ci.accounts.listUsers(request);
    expect(users.map(({ username }) => username)).toEqual(["paged35"]);
    expect(page).toMatchObject({ hasNext: false });
    expect((await ci.accounts.listUsers({ ...request, page: { number: 3 } })).page).toMatchObject({ lastPage: 2 });
  });
});
