import { randomUUID } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anAssignment, newId } from "./_assignment.js";
import { bootRunner } from "./_suite.js";

const booted = bootRunner();

/** Returns an object to be placed under this name. Without content it was not found at submission. */
function anObject(source: string, name: string, content?: string) {
  const objectId = content === undefined ? undefined : newId();
  if (objectId !== undefined) booted.queue.objects.set(objectId, content!);
  return { id: newId(), source, name, objectId };
}

test("the runner places objects and reports the placed ones", async () => {
  const absolute = join(tmpdir(), randomUUID());
  const objects = [
    anObject("tool", "bin/tool", "#!/bin/sh\necho I am the tool\n"),
    anObject("missing", "missing"),
    anObject("else", absolute, "elsewhere"),
    anObject("empty", "empty", ""),
  ];
  const deleted = { ...anObject("gone", "gone"), objectId: -1 };
  const { text, placed, outcomes } = await booted.run(
    anAssignment({ objects: [...objects, deleted] }, ["bin/tool", "ls"]),
  );
  expect(outcomes).toEqual(["passed", "passed"]);
  expect(text).toBe(
    [
      "Placing object tool => bin/tool",
      "Placing object missing => missing",
      "object error: missing: not found",
      `Placing object else => ${absolute}`,
      "Placing object empty => empty",
      "Placing object gone => gone",
      "object error: gone: Not Found",
      "+ bin/tool",
      "I am the tool",
      "+ ls",
      "bin",
      "empty",
      "",
    ].join("\n"),
  );
  expect(placed).toEqual([objects[0]!.id, objects[2]!.id, objects[3]!.id]);
  expect(await readFile(absolute, "utf8")).toBe("elsewhere");
  expect((await stat(absolute)).mode & 0o777).toBe(0o700);
  await rm(absolute);
});

test("an object whose destination is longer than any path is not placed", async () => {
  const far = anObject("far", `${"a/".repeat(2_048)}b`, "x");
  const { text, placed } = await booted.run(anAssignment({ objects: [far] }, ["ls"]));
  expect(text).toContain("object error: far: the destination is longer than 4096 characters\n+ ls\n");
  expect(placed).toEqual([]);
});

test("the runner places SSH keys with a configuration that trusts every host", async () => {
  const keys = [
    {
      name: "zwei",
      privateKey: "-----BEGIN-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n-----END-----\n",
      config: "Host b\n  User two",
    },
    { name: "eins", privateKey: "not shown here\n", config: "Host a\n  User one" },
    { name: "../out", privateKey: "x\n", config: "" },
    { name: "config", privateKey: "y\n", config: "" },
  ];
  const commands = ["cat .ssh/config", "stat -c '%a %n' .ssh .ssh/*", "wc -c < .ssh/zwei", "cat .ssh/zwei"];
  const { text } = await booted.run(anAssignment({ keys }, commands));
  expect(text).toContain("key error: ../out: not usable as the name of a file\n");
  expect(text).toContain("key error: config: not usable as the name of a file\n");
  expect(text).toContain(
    "Host *\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\nHost a\n  User one\nHost b\n  User two\n",
  );
  expect(text).toContain("700 .ssh\n600 .ssh/config\n600 .ssh/eins\n600 .ssh/zwei\n");
  expect(text).toMatch(/\n\s*55\n/);
  expect(text).toMatch(/\+ cat .ssh\/zwei\nxxxxxx$/);
});
