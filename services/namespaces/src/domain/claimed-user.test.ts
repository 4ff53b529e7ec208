import { firstFree, usernameFrom, usernamesLike } from "./claimed-user.js";
import { keyOf, usernameComplaints } from "./user.js";

test.each([
  ["alice", "alice"],
  ["Alice.Smith", "Alice.Smith"],
  ["alice@example.com", "alice"],
  ["Zoë Müller", "Zoe-Muller"],
  ["..al..", "user-al"],
  ["日本", "user"],
  ["", "user"],
  ["@", "user"],
  ["x".repeat(5_000), "x".repeat(30)],
  [`${"x".repeat(29)}-y`, "x".repeat(29)],
  ["<script>", "script"],
])("the claimed name %j becomes the username %s", (claimed, username) => {
  expect(usernameFrom(claimed)).toBe(username);
});

test("every username to try is valid, and the claimed one comes first", () => {
  for (const name of ["bob", "x".repeat(30), "a-b"]) {
    const usernames = usernamesLike(name);
    expect([usernames[0], new Set(usernames).size]).toEqual([name, 101]);
    expect(usernames.flatMap(usernameComplaints)).toEqual([]);
  }
});

test("a username that is taken gets the first free number, whatever its case", () => {
  const usernames = usernamesLike("Bob");
  expect(firstFree(usernames, new Set())).toBe("Bob");
  expect(firstFree(usernames, new Set(["bob", "bob-2", "bob-4"]))).toBe("Bob-3");
  expect(firstFree(usernames, new Set(usernames.slice(0, -1).map(keyOf)))).toMatch(/^Bob-\d{6}$/);
});
