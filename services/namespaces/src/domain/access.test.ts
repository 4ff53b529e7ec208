import { type Action, may, openToAll, type Role, roleIn } from "./access.js";

const owner = 1;
const somebody = 2;

describe("roleIn", () => {
  test.each<[visibility: string, userId: number, collaborates: boolean, Role]>([
    ["private", owner, false, "owner"],
    ["public", owner, false, "owner"],
    ["private", somebody, true, "collaborator"],
    ["internal", somebody, true, "collaborator"],
    ["public", somebody, true, "collaborator"],
    ["private", somebody, false, "none"],
    ["internal", somebody, false, "viewer"],
    ["public", somebody, false, "viewer"],
  ])("in a %s tree user %i (collaborates: %s) is %s", (visibility, userId, collaborates, role) => {
    expect(roleIn({ userId: owner, visibility }, userId, collaborates)).toBe(role);
  });
});

describe("may", () => {
  test.each<[Role, Action[]]>([
    ["owner", ["view", "write", "own"]],
    ["collaborator", ["view", "write"]],
    ["viewer", ["view"]],
    ["none", []],
  ])("%s: %j and nothing else", (role, actions) => {
    expect((["view", "write", "own"] as const).filter((action) => may(role, action))).toEqual(actions);
  });
});

test.each([
  ["private", false],
  ["internal", false],
  ["public", true],
])("a badge of a %s tree is open to all: %s", (visibility, open) => {
  expect(openToAll({ userId: owner, visibility })).toBe(open);
});
