import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { processesOf } from "./processes.js";

const homeAfter = async (variables: Record<string, string>) => {
  const env = { ...variables, HOME: "/a home" };
  const child = spawn("/bin/cat", [], { env, stdio: ["pipe", "ignore", "ignore"] });
  try {
    // Until it runs its program, the process has the environment of this one.
    return await eventually(async () => {
      expect(await readFile(`/proc/${child.pid}/comm`, "utf8")).toBe("cat\n");
      const [found] = await processesOf([child.pid!], 0n);
      return found!.home;
    });
  } finally {
    child.stdin!.end();
    await once(child, "close");
  }
};

const title = "processesOf finds the HOME of a process";
const other = "processesOf reads the first 256 KiB of an environment";

if (process.platform !== "linux") for (const one of [title, other]) notRun(one, "there is no /proc");
else {
  const [pieceBytes, entryBytes] = [16 * 1024, 100 * 1024];
  const upTo = (bytes: number) => ({ A: "x".repeat(bytes - "A=\0".length) });

  test.each([0, -3, -8, -13, -14].map((more) => pieceBytes + more))(`${title} after %d bytes`, async (bytes) => {
    expect(await homeAfter(upTo(bytes))).toBe("/a home");
  });

  test(other, async () => {
    const many = Object.fromEntries(Array.from({ length: 3 }, (_, nth) => [`V${nth}`, "x".repeat(entryBytes)]));
    expect(await homeAfter(many)).toBeUndefined();
  });
}
