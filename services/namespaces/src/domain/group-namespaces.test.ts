import { parseGroupNamespaces } from "./group-namespaces.js";

test("entries name a group, and a namespace of a user", () => {
  expect(parseGroupNamespaces("devs=alice/team; CN=Ops,OU=All = bob/a/b ;")).toEqual([
    { group: "devs", owner: "alice", elements: ["team"] },
    { group: "CN=Ops,OU=All", owner: "bob", elements: ["a", "b"] },
  ]);
  expect(parseGroupNamespaces("")).toEqual([]);
});

test.each([
  ["devs", 'has the entry "devs": write it as group=user/namespace'],
  ["a=alice/x; =alice/team", 'has the entry "=alice/team": write it as group=user/namespace'],
  ["devs=alice", 'has the entry "devs=alice": Namespace name can only contain'],
  ["devs=a/team", 'has the entry "devs=a/team": Username must be between 3 and 30'],
  ["devs=alice/te am", 'has the entry "devs=alice/te am": Namespace name can only contain'],
  [`${"g".repeat(256)}=alice/team`, "the group has more than 255 characters"],
  [Array(101).fill("devs=alice/team").join(";"), "has 101 entries; at most 100 are allowed"],
])("%.60s is refused", (text, message) => {
  expect(() => parseGroupNamespaces(text)).toThrow(message);
});
