import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import { removeFolder } from "../src/drivers/os/files.js";
import { isRoot } from "../src/drivers/user.js";
import { aFolder } from "./_os.js";

const stranger = { uid: 60_996, gid: 60_996 };

function fill(folder: string, count: number): void {
  mkdirSync(folder);
  for (let nth = 0; nth < count; nth++) writeFileSync(join(folder, `f${nth}`), "");
}

/** Puts a link in the place of `sub` once something has been removed from there. Ends when it cannot any more. */
const swapper = `
const fs = require("node:fs");
const at = fs.statSync("sub").mtimeMs;
console.log("ready");
while (fs.statSync("sub").mtimeMs === at);
fs.renameSync("sub", "aside");
fs.symlinkSync(process.argv[1], "sub");
`;

/** Fills its folder until it may not any more. */
const writer = `
const fs = require("node:fs");
console.log("ready");
for (let nth = 0; ; nth++) {
  fs.writeFileSync(String(nth), "");
  if (nth % 100 === 0) fs.chmodSync(".", 0o777);
}
`;

if (!isRoot() || process.platform !== "linux") notRun("removals as root", "the tests do not run as root on Linux");
else {
  test("a link that another user puts into a folder during its removal leads nowhere", async () => {
    const [outside, tree] = [join(aFolder(), "outside"), join(aFolder(), "work")];
    fill(outside, 5_000);
    mkdirSync(tree);
    fill(join(tree, "sub"), 5_000);
    for (const path of [tree, join(tree, "sub")]) chmodSync(path, 0o777);
    const child = spawn(process.execPath, ["-e", swapper, outside], { ...stranger, cwd: tree });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    await removeFolder(tree);
    expect(existsSync(tree)).toBe(false);
    expect(readdirSync(outside)).toHaveLength(5_000);
    await ended;
  });

  test("a folder of another user that gets something again and again is removed too", async () => {
    const tree = join(aFolder(), "work");
    mkdirSync(join(tree, "sub"), { recursive: true });
    execFileSync("chown", [`${stranger.uid}`, join(tree, "sub")]);
    const child = spawn(process.execPath, ["-e", writer], { ...stranger, cwd: join(tree, "sub") });
    const ended = once(child, "exit");
    try {
      await once(child.stdout, "data");
      await removeFolder(tree);
    } finally {
      child.kill("SIGKILL");
    }
    expect(existsSync(tree)).toBe(false);
    await ended;
  });

  test("a tree is removed whatever it holds, and nothing that its links lead to", async () => {
    const [outside, tree] = [join(aFolder(), "outside"), join(aFolder(), "work")];
    fill(outside, 1);
    fill(tree, 200);
    symlinkSync(outside, join(tree, "link"));
    symlinkSync(outside, join(tree, "f0.link"));
    const script = `mkdir "$(printf 'a\\377b')" shut; echo > "$(printf 'a\\377b/c\\377d')"; mkfifo pipe; echo > shut/file
      for folder in $(seq 150); do mkdir deep-directory-deep; cd deep-directory-deep; echo > file; done`;
    execFileSync("sh", ["-ec", script], { cwd: tree });
    chmodSync(join(tree, "shut"), 0);
    await removeFolder(tree);
    expect(existsSync(tree)).toBe(false);
    expect(readdirSync(outside)).toHaveLength(1);
    await removeFolder(tree);
  });
}
