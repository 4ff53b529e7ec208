import { parseBuild } from "./build-ref.js";

test.each([
  ["12", { kind: "build", number: 12 }],
  ["alice/12", { kind: "build", user: "alice", number: 12 }],
  ["last", { kind: "last" }],
  ["https://ci.test/b/alice/12", { kind: "build", user: "alice", number: 12, url: "https://ci.test" }],
  ["http://ci.test/api/b/a%2Eb/3/output?x=1", { kind: "build", user: "a.b", number: 3, url: "http://ci.test/api" }],
  ["https://ci.test/b/alice/12#test:L4", { kind: "build", user: "alice", number: 12, url: "https://ci.test" }],
])("%s names a build", (word, named) => {
  expect(parseBuild(word)).toEqual(named);
});

test.each(["", "alice", "alice/", "alice/x", "-1", "1.5", "99999999999999999", "https://ci.test/n/alice/12", "a/b/3"])(
  '"%s" names none',
  (word) => {
    expect(() => parseBuild(word)).toThrow(`"${word}" is not the name of a build. Name a build as 12`);
  },
);
