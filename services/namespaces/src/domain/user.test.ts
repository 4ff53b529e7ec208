import { emailComplaints, newUser, toUser, usernameComplaints } from "./user.js";

const length = "Username must be between 3 and 30 characters in length";
const letters = "Username can only have letters, numbers, dots, and dashes";

test.each<[string, string[]]>([
  ["bob", []],
  ["0.a-B", []],
  ["x".repeat(30), []],
  ["", ["Username field required"]],
  ["ab", [length]],
  ["x".repeat(31), [length]],
  ["a_b", [letters]],
  ["a@b.c", [letters]],
  [".bob", [letters]],
  ["-bob", [letters]],
  ["bob\n", [letters]],
  ["_", [length, letters]],
])("checks the username %j", (username, complaints) => {
  expect(usernameComplaints(username)).toEqual(complaints);
});

test.each<[string, string[]]>([
  ["a@b", []],
  [`${"x".repeat(252)}@b`, []],
  ["", ["Email field required"]],
  ["bob", ["Email invalid email address"]],
  [`${"x".repeat(253)}@b`, ["Email invalid email address"]],
])("checks the e-mail address %j", (email, complaints) => {
  expect(emailComplaints(email)).toEqual(complaints);
});

test("a user has none of the internal fields of its document", () => {
  const at = new Date();
  const doc = newUser({ id: 7, username: "Bob", email: "Bob@X", admin: false, at });
  expect(doc).toMatchObject({ usernameKey: "bob", emailKey: "bob@x" });
  expect(toUser(doc)).toEqual({ id: 7, username: "Bob", email: "Bob@X", admin: false, createdAt: at });
});
