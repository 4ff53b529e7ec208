import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { handedOver, waitFor } from "./hand-over.js";

const end = "0123456789abcdef";
const script = 'printf "%s|" "$A" "$B" "$#" "$-"\nread -r line || echo no input\n';

/** Gives a waiting shell this input. */
function shell(input: string, job: string) {
  const folder = mkdtempSync(join(tmpdir(), "hand-over-"));
  try {
    const { stdout, status } = spawnSync("/bin/sh", waitFor(end, join(folder, job)), {
      input,
      encoding: "utf8",
      env: {},
    });
    return { stdout, status };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Hands a job over to a waiting shell and returns what it prints. */
const printed = (text: string, job: string): string => shell(`${text}${end}\nand more\n`, job).stdout;

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

test.each(["", "echo begun\n", `echo begun\n${end.slice(1)}`])(
  "a waiting shell whose input breaks off after %j runs nothing",
  (input) => {
    expect(shell(input, "job")).toEqual({ stdout: ".", status: 137 });
  },
);

test("a job is not handed over to a waiting shell if the shell could change it", () => {
  const one = (key: string, value = "1") => handedOver("true", [{ key, value }]);
  for (const key of ["PPID", "UID", "BASH_ENV", "IFS", "OPTIND", "_", "PS4", "__ci_text"])
    expect(one(key)).toBeUndefined();
  for (const key of ["PATH", "HOME", "LC_ALL", "PIDS", "_A"]) expect(one(key)).toBeDefined();
  expect(one("A", "x".repeat(16 * 1024))).toBeUndefined();
  expect(one("A", "\0")).toBeUndefined();
});
