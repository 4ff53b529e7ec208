import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
const create = async (fields: Partial<User>) =>
  (await runAs(await ci.anAdmin(), () => ci.accounts.createUser(fields))).user!;

describe("succeeds", () => {
  test("returns the new user", async () => {
    const user = await create({ username: "Ann.B-1", email: "Ann@example.com" });
    expect(user).toEqual({
      id: expect.any(Number),
      username: "Ann.B-1",
      email: "Ann@example.com",
      admin: false,
      createdAt: expect.any(Date),
      deletedAt: undefined,
    });
  });

  test("creates an admin", async () => {
    expect(await create({ username: "boss", email: "boss@example.com", admin: true })).toMatchObject({ admin: true });
  });
});

describe("invalid", () => {
  test("reports both wrong fields at once", async () => {
    await expect(create({ username: "_", email: "" })).rejects.toMatchObject({
      code: "invalid",
      fields: {
        username: [
          "Username must be between 3 and 30 characters in length",
          "Username can only have letters, numbers, dots, and dashes",
        ],
        email: ["Email field required"],
      },
    });
    await expect(create({})).rejects.toMatchObject({
      fields: { username: ["Username field required"], email: ["Email field required"] },
    });
  });

  test("rejects names of present and deleted users, ignoring case", async () => {
    await create({ username: "taken", email: "taken@example.com" });
    const admin = await ci.anAdmin();
    const taken = { username: ["Username already exists"], email: ["Email already exists"] };
    await expect(create({ username: "TAKEN", email: "Taken@example.com" })).rejects.toMatchObject({ fields: taken });
    await runAs(admin, () => ci.accounts.deleteUser({ username: "taken" }));
    await expect(create({ username: "taken", email: "taken@example.com" })).rejects.toMatchObject({ fields: taken });
  });

  test("exactly one of 20 concurrent requests gets the names", async () => {
    const requests = Array.from({ length: 20 }, (_, index) =>
      create({ username: "race", email: `${index}@example.com` }),
    );
    const results = await Promise.allSettled(requests);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results.filter((result) => result.status === "rejected"))
      expect(result.reason).toMatchObject({ fields: { username: ["Username already exists"] } });
  });
});

describe("events", () => {
  test("publishes one event for other services", async () => {
    const user = await create({ username: "told", email: "told@example.com" });
    const events = (await ci.publishedEvents()).filter(
      ({ body }) => body?.$case === "user" && body.value.user?.id === user.id,
    );
    expect(events).toEqual([
      expect.objectContaining({
        kind: "users",
        namespaceId: undefined,
        actorId: (await ci.anAdmin()).userId,
        body: { $case: "user", value: { action: "created", user } },
      }),
    ]);
  });
});
