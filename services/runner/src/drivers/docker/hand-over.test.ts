import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handedOver, waitFor } from "./hand-over.js";

const end = "0123456789abcdef";
const script = 'printf "%s|" "$A" "$B" "$#" "$-"\nread -r line || echo no input\n';

/** Hands a job over to a waiting shell and returns what it prints. */
function printed(text: string, job: string): string {
  const folder = mkdtempSync(join(tmpdir(), "hand-over-"));
  try {
    const input = `${text}${end}\nand more\n`;
    const command = waitFor(end, join(folder, job));
    return spawnSync("/bin/sh", command, { input, encoding: "utf8", env: {} }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each([
  ["quotes", 'it\'s "quoted" `echo no` $(echo no) $HOME'],
  ["line breaks", "one\ntwo\n\n three \n"],
  ["backslashes", "a\\b\\\\c\\n \\"],
  ["nothing", ""],
  ["other characters", "ü \u0001 \t *"],
])("a waiting shell gets variables and scripts with %s unchanged", (_what, value) => {
  const text = handedOver(`: '${value.replaceAll("'", "")}'\n${script}`, [
    { key: "A", value },
    { key: "B", value: "2" },
  ]);
  expect(printed(text!, "job")).toBe(`.${value}|2|0||no input\n`);
});

test("a job is not handed over to a waiting shell if the shell could change it", () => {
  const one = (key: string, value = "1") => handedOver("true", [{ key, value }]);
  for (const key of ["PPID", "UID", "BASH_ENV", "IFS", "OPTIND", "_", "PS4", "__ci_text"])
    expect(one(key)).toBeUndefined();
  for (const key of ["PATH", "HOME", "LC_ALL", "PIDS", "_A"]) expect(one(key)).toBeDefined();
  expect(one("A", "x".repeat(16 * 1024))).toBeUndefined();
  expect(one("A", "\0")).toBeUndefined();
});
