import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "@ci/testkit/eventually";
import { machinesIn, nameFor } from "./leftovers.js";

const sleeping = (name: string) =>
  spawn("sh", ["-c", "read -r line", "sh", "-name", name], { stdio: ["pipe", "ignore", "ignore"] });

const onLinux = process.platform === "linux" ? test : test.skip;
onLinux("machinesIn finds machines by their names, whatever other processes are called", async () => {
  const [machine, other] = [sleeping(nameFor("/a root/qemu.1")), sleeping("ci:%")];
  try {
    await eventually(async () =>
      expect(await machinesIn("/a root")).toEqual([{ pid: machine.pid, folder: "/a root/qemu.1" }]),
    );
  } finally {
    for (const one of [machine, other]) {
      one.stdin!.end();
      await once(one, "close");
    }
  }
});
