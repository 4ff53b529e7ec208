import { aUser, aWord } from "@ci/testkit/builders";
import type { SignedUp } from "@ci/testkit/constellation";
import type { WrongTypeCase } from "./_wrong-types.js";

const past = "2001-01-01T00:00:00Z";

/** Returns the cases of users, their tokens and their sessions. */
export const accountCases = (user: () => Pick<SignedUp, "username">): readonly WrongTypeCase[] => [
  {
    row: "POST /session",
    path: () => "/session",
    oneWrongType: () => ({ token: 7 }),
    complaints: { token: ["Token must be a string"] },
  },
  {
    row: "POST /users",
    path: () => "/users",
    oneWrongType: () => ({ ...aUser(), admin: "yes" }),
    moreMistakes: () => ({ username: "a", email: "nobody", admin: "yes" }),
    complaints: {
      admin: ["Admin must be a boolean"],
      username: ["Username must be between 3 and 30 characters in length"],
      email: ["Email invalid email address"],
    },
  },
  {
    row: "POST /users/:username/tokens",
    path: () => `/users/${user().username}/tokens`,
    oneWrongType: () => ({ name: aWord(), scope: 7 }),
    moreMistakes: () => ({ scope: 7, expires_at: past }),
    complaints: {
      scope: ["Scope must be a string"],
      name: ["Name field required"],
      expires_at: ["Expires_at must be in the future"],
    },
  },
  {
    row: "POST /tokens",
    path: () => "/tokens",
    oneWrongType: () => ({ name: aWord(), scope: "build:read", expires_at: "soon" }),
    moreMistakes: () => ({ name: "test", scope: "build:eat", expires_at: "soon" }),
    complaints: {
      expires_at: ["Expires_at must be an RFC3339 timestamp"],
      name: ["Name already exists"],
      scope: ["Scope invalid permission eat"],
    },
  },
];
