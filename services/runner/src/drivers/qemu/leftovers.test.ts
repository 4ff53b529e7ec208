import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { machinesIn, nameFor } from "./leftovers.js";

const sleeping = (name: string, ...before: string[]) =>
  spawn("sh", ["-c", "read -r line", "sh", ...before, "-name", name], { stdio: ["pipe", "ignore", "ignore"] });

const title = "machinesIn finds machines by their first arguments, whatever other processes are called";

if (process.platform !== "linux") notRun(title, "there is no /proc");
else
  test(title, async () => {
    const [name, far] = [nameFor("/a root/qemu.1"), "x".repeat(16 * 1024)];
    const [machine, ...others] = [sleeping(name), sleeping("ci:%"), sleeping(name, far)];
    try {
      await eventually(async () =>
        expect(await machinesIn("/a root")).toEqual([{ pid: machine!.pid, folder: "/a root/qemu.1" }]),
      );
    } finally {
      for (const one of [machine!, ...others]) {
        one.stdin!.end();
        await once(one, "close");
      }
    }
  });
