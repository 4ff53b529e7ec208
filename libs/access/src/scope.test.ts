import { everyPermission, formatScope, lacking, readScope } from "./scope.js";

const everything =
  "build:read,write,delete invite:read,write,delete image:read,write,delete namespace:read,write,delete " +
  "object:read,write,delete variable:read,write,delete key:read,write,delete cron:read,write,delete " +
  "webhook:read,write,delete user:read,write,delete";

describe("scopes", () => {
  test.each([
    ["build:read", "build:read"],
    ["image:read build:write,read", "build:read,write image:read"],
    ["build:write build:read build:write,write", "build:read,write"],
    ["  cron:delete   key:delete,read ", "key:read,delete cron:delete"],
    [everything.split(" ").reverse().join(" "), everything],
  ])("readScope and formatScope turn %j into %j", (text, canonical) => {
    const { granted, complaints } = readScope(text);
    expect(complaints).toEqual([]);
    expect(formatScope(granted)).toBe(canonical);
  });

  test.each<[string, string[]]>([
    ["", ["Scope field required"]],
    ["  ", ["Scope field required"]],
    ["builds:read", ["Scope invalid resource builds"]],
    ["Build:read", ["Scope invalid resource Build"]],
    [":read", ["Scope invalid resource"]],
    ["build:admin", ["Scope invalid permission admin"]],
    ["build", ["Scope invalid permission"]],
    ["build:", ["Scope invalid permission"]],
    ["build:read,", ["Scope invalid permission"]],
    ["build:read:write", ["Scope invalid permission read:write"]],
    [
      "build:x foo:y,read build:x",
      ["Scope invalid permission x", "Scope invalid resource foo", "Scope invalid permission y"],
    ],
  ])("readScope rejects %j with %j", (text, complaints) => {
    expect(readScope(text).complaints).toEqual(complaints);
  });

  test("formatScope writes all permissions in full", () => {
    expect(formatScope(everyPermission)).toBe(everything);
    expect(everyPermission).toHaveLength(30);
  });
});

test.each<[string[], string, string[]]>([
  [["build:read"], "build:read,write", []],
  [["build:read", "build:delete"], "build:read,write", ["build:delete"]],
  [["build:read"], "image:read", ["build:read"]],
  [["build:read"], "", ["build:read"]],
  [[], "", []],
])("of the permissions %j, the scope %j lacks %j", (wanted, scope, missing) => {
  expect(lacking(wanted, scope)).toEqual(missing);
});
