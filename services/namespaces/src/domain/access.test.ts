import { type Action, may, openToAll, type Role, roleIn } from "./access.js";

const owner = 1;
const outsider = 2;

describe("roleIn", () => {
  test.each<[visibility: string, userId: number, collaborates: boolean, Role]>([
    ["private", owner, false, "owner"],
    ["public", owner, false, "owner"],
    ["private", outsider, true, "collaborator"],
    ["internal", outsider, true, "collaborator"],
    ["public", outsider, true, "collaborator"],
    ["private", outsider, false, "none"],
    ["internal", outsider, false, "viewer"],
    ["public", outsider, false, "viewer"],
  ])("in a %s namespace tree, user %i (collaborator: %s) has the role %s", (visibility, userId, collaborates, role) => {
    expect(roleIn({ userId: owner, visibility }, userId, collaborates)).toBe(role);
  });
});

describe("may", () => {
  test.each<[Role, Action[]]>([
    ["owner", ["view", "write", "own"]],
    ["collaborator", ["view", "write"]],
    ["viewer", ["view"]],
    ["none", []],
  ])("the role %s allows exactly %j", (role, actions) => {
    expect((["view", "write", "own"] as const).filter((action) => may(role, action))).toEqual(actions);
  });
});

test.each([
  ["private", false],
  ["internal", false],
  ["public", true],
])("the badge of a %s namespace tree is public: %s", (visibility, open) => {
  expect(openToAll({ userId: owner, visibility })).toBe(open);
});
