import { anAssignment } from "./_assignment.js";
import { bootRunner } from "./_suite.js";

const runner = bootRunner();

/** Runs a build of one job with these reports. */
function run(junitReports: readonly string[], commands: readonly string[], secret?: string) {
  const assignment = anAssignment(
    secret ? { variables: [{ key: "SECRET", value: secret, masked: true }] } : {},
    commands,
  );
  const [first, job] = assignment.jobs;
  return runner.run({ ...assignment, jobs: [first!, { ...job!, junitReports }] });
}

const suite = (...cases: string[]) => `<testsuite name='unit'>${cases.join("")}</testsuite>`;
const write = (path: string, report: string) => `mkdir -p $(dirname ${path}) && printf %s "${report}" > ${path}`;

test("reads the reports of a job that fails, and hides secrets in them", async () => {
  const secret = "correct-horse-battery";
  const failing = "<testcase name='b' time='2'><failure message='no $SECRET'>$SECRET</failure></testcase>";
  const { tests, counts, text, final } = await run(
    ["reports/**/*.xml", "other.xml"],
    [
      write("reports/a/one.xml", suite("<testcase name='a' classname='c' time='1'/>", failing)),
      write("other.xml", suite("<testcase name='d'><skipped/></testcase>")),
      "exit 1",
    ],
    secret,
  );
  expect(final).toBe("failed");
  expect(counts).toEqual([undefined, { total: 3, failed: 1, skipped: 1, seconds: 3 }]);
  const common = { suite: "unit", className: "", seconds: 0, message: "", output: "" };
  expect(tests.flatMap(({ cases }) => cases)).toEqual([
    { ...common, name: "a", className: "c", status: "passed", seconds: 1 },
    { ...common, name: "b", status: "failed", seconds: 2, message: "no xxxxxx", output: "xxxxxx" },
    { ...common, name: "d", status: "skipped" },
  ]);
  expect(text).toContain("Tests: 3, 1 failed, 1 skipped\n");
  expect(text).not.toContain(secret);
});

test("a report that cannot be read and one that is missing fail nothing", async () => {
  const { counts, text, final } = await run(
    ["*.xml", "missing.xml", "none/*.xml"],
    [write("bad.xml", "<!DOCTYPE x><x/>"), write("good.xml", suite("<testcase name='a'/>")), "truncate -s 1G huge.xml"],
  );
  expect(final).toBe("passed");
  expect(counts[1]).toEqual({ total: 1, failed: 0, skipped: 0, seconds: 0 });
  expect(text).toContain("report error: bad.xml: the report cannot be read: it has a document type\n");
  expect(text).toContain("report error: huge.xml: larger than 20 MiB\n");
  expect(text).toContain("report error: missing.xml: not found\n");
  expect(text).toContain("report error: none/*.xml: nothing matches\n");
});

test("lists the first 20000 cases and counts all", async () => {
  const many = `awk 'BEGIN { print "<testsuite>"; while (i++ < 20100) print "<testcase/>"; print "</testsuite>" }' > r.xml`;
  const { tests, counts, text } = await run(["r.xml"], [many]);
  expect(counts[1]).toMatchObject({ total: 20_100 });
  expect(tests.reduce((sum, { cases }) => sum + cases.length, 0)).toBe(20_000);
  expect(tests.map(({ from }) => from)).toEqual(tests.map((_, index) => 200 * index));
  expect(text).toContain("Only the first 20000 tests are listed\n");
});

test("a job without reports sends nothing", async () => {
  const { tests, counts } = await run([], ["true"]);
  expect([tests, counts]).toEqual([[], [undefined, undefined]]);
});
