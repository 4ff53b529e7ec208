import type { PutTestsRequest, TestCase } from "@ci/proto/builds/v1/queue";
import { HostTrouble } from "../endings/errors.js";
import { collectReports, type Reporting } from "./junit-reports.js";

/** Collects one report. Returns the cases, the texts that were masked, and what was said. */
async function collect(report: string, troubles: string[] = []) {
  const said: string[] = [];
  const cases: TestCase[] = [];
  const masked: string[] = [];
  const putTests = async ({ cases: more }: PutTestsRequest) => void cases.push(...more);
  async function* content() {
    const middle = report.length / 2;
    yield Buffer.from(report.slice(0, middle));
    trouble("read");
    yield Buffer.from(report.slice(middle));
  }
  const trouble = (at: string) => {
    if (troubles[0] === at) throw new HostTrouble(`No engine for ${troubles.shift()}`);
  };
  const open = async () => {
    trouble("open");
    return { sizeBytes: report.length, content: content(), close: async () => undefined };
  };
  async function* list() {
    trouble("list");
    yield { path: "r.xml", kind: "file" };
  }
  const on = {
    environment: { open, list },
    queue: { putTests },
    mark: { buildId: 1, epoch: 1 },
    jobId: 1,
    hide: async (text: string) => text,
    hideIn: async (text: string, isCut: boolean) => {
      if (text !== "") masked.push(text);
      return isCut ? text.slice(0, -2) : text;
    },
    say: (line: string) => void said.push(line),
    signal: new AbortController().signal,
  };
  const counts = await collectReports(["*.xml"], on as unknown as Reporting);
  return { cases, masked, counts, said };
}

test("reports wait for a container engine that is away", async () => {
  const { counts, said } = await collect("<testsuite><testcase/></testsuite>", ["list", "open"]);
  expect(counts).toMatchObject({ total: 1 });
  expect(said).toEqual(["Tests: 1, 0 failed, 0 skipped"]);
});

test("a report that breaks off is read again from its beginning", async () => {
  const report = `<testsuite>${'<testcase name="a"><failure/></testcase>'.repeat(4)}</testsuite>`;
  const { cases, counts, said } = await collect(report, ["read"]);
  expect(cases).toHaveLength(4);
  expect(counts).toEqual({ total: 4, failed: 4, skipped: 0, seconds: 0 });
  expect(said).toEqual(["Tests: 4, 4 failed, 0 skipped"]);
});

test("masks the name of a suite once, not for each case", async () => {
  const suite = `<testsuite name="inner">${"<testcase/>".repeat(50)}</testsuite>`;
  const { cases, masked } = await collect(
    `<testsuite name="outer">${`${suite}<testcase/>`.repeat(3)}<testcase name="last"/></testsuite>`,
  );
  expect(cases).toHaveLength(3 * 51 + 1);
  expect(cases.at(-1)).toMatchObject({ suite: "outer", name: "last" });
  expect(masked.sort()).toEqual(["inner", "inner", "inner", "last", "outer"]);
});

test("masks no more of an attribute than 64 KiB, and stores 500 characters", async () => {
  const long = "x".repeat(1024 ** 2);
  const { cases, masked } = await collect(
    `<testsuite name="${long}"><testcase name="${long}" classname="${long}"/><testcase/></testsuite>`,
  );
  expect(masked.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536]);
  const name = "x".repeat(500);
  expect(cases).toMatchObject([
    { suite: name, className: name, name },
    { suite: name, className: "", name: "" },
  ]);
});

test("masks no case that is only counted", async () => {
  const { masked, counts } = await collect(`<testsuite>${'<testcase name="a"/>'.repeat(20_050)}</testsuite>`);
  expect(counts).toMatchObject({ total: 20_050 });
  expect(masked.length).toBe(20_000);
});
