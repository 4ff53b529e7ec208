// Runs the built binary, cli/dist/main.js, with a virtual machine and without a server.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import { inApp, LocalUser, printedBy } from "./_run.js";

const disks = process.env.CI_TEST_DISKS;

if (!disks) notRun("ci run with a virtual machine", "CI_TEST_DISKS does not name disks");
else
  test("a virtual machine boots the given disk and gets the files of the folder", async () => {
    using user = new LocalUser();
    user.write({ ".gitignore": "ignored", ignored: "", "src/a": "text\n" }).git("init", "-q");
    const driver = { type: "qemu", image: "debian" };
    const manifest = inApp(["find . -type f", "cat src/a > made"], { driver }, { artifacts: ["app/made"] });
    const words = ["--image", `debian=${join(disks, "keyed.qcow2")}`, "-a", "kept"];
    const ended = await user.run(manifest, words, { QEMU_MEMORY: "256MiB" });
    expect(ended).toMatchObject({ code: 0 });
    expect(printedBy("unit", ended)).toEqual(expect.arrayContaining(["./.gitignore", "./src/a"]));
    expect(ended.stdout).not.toContain("./ignored");
    expect(readFileSync(join(user.repository, "kept/made"), "utf8")).toBe("text\n");
    expect(user.left()).toEqual([]);
  });
