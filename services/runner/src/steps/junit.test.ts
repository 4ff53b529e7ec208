import { isCut, type ReportedCase, readJunit } from "./junit.js";

async function read(...pieces: (string | Uint8Array)[]): Promise<ReportedCase[]> {
  const cases: ReportedCase[] = [];
  async function* content() {
    for (const piece of pieces) yield Buffer.from(piece as string);
  }
  await readJunit(content(), (one) => cases.push(one));
  return cases;
}

test("reads cases with their suite, time, failure and output", async () => {
  const report = `<?xml version="1.0"?><testsuites><testsuite name="outer"><testsuite name="inner">
    <testcase name="adds" classname="sum" time="0.25"/>
    <testcase name="fails" time="1,000.5"><failure message="1 &lt; 2" type="E">at <![CDATA[<line>]]> 3</failure>
      <system-out>said</system-out></testcase>
    <testcase name="breaks"><error>thrown</error><skipped/></testcase>
    <testcase name="waits"><skipped message="later"/></testcase>
    </testsuite></testsuite></testsuites>`;
  const common = { suite: { name: "inner" }, className: "", seconds: 0, message: "", output: "" };
  expect(await read(report.slice(0, 99), report.slice(99))).toEqual([
    { ...common, name: "adds", className: "sum", status: "passed", seconds: 0.25 },
    { ...common, name: "fails", status: "failed", seconds: 1000.5, message: "1 < 2", output: "at <line> 3said" },
    { ...common, name: "breaks", status: "failed", output: "thrown" },
    { ...common, name: "waits", status: "skipped", message: "later" },
  ]);
});

const lol = `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><testsuite name="&b;"/>`;
test.each([
  ["entities of its own", lol, /document type/],
  ["an external entity", `<!DOCTYPE t SYSTEM "file:///etc/passwd"><t>&x;</t>`, /document type/],
  ["an unknown entity", "<t>&x;</t>", /undefined entity/],
  ["too many levels", "<a>".repeat(10_000), /more than 100 levels/],
  [
    "too many attributes",
    `<a ${Array.from({ length: 200 }, (_, n) => `a${n}="x"`).join(" ")}/>`,
    /more than 100 attributes/,
  ],
  ["a missing end", "<testsuite><testcase name='x'>", /cannot be read/],
  ["no XML", "not xml", /cannot be read/],
  ["no content", "", /cannot be read/],
])("refuses a report with %s", async (_what, report, why) => {
  await expect(read(report)).rejects.toMatchObject({ code: "invalid", message: expect.stringMatching(why) });
});

test("refuses bytes that are not UTF-8", async () => {
  await expect(read(Buffer.from([0x3c, 0xff, 0xfe]))).rejects.toMatchObject({ code: "invalid" });
});

test("truncates long texts", async () => {
  const long = "x".repeat(1_000_000);
  const failure = `<failure message="${long}">${long}</failure>`;
  const [one] = await read(
    `<testsuite name="${long}"><testcase name="${long}" classname="${long}">${failure}</testcase></testsuite>`,
  );
  const { suite, className, name, message, output } = one!;
  const texts = [suite.name, className, name, message, output];
  expect(texts.map(({ length }) => length)).toEqual(texts.map(() => 64 * 1024));
  expect(texts.every(isCut)).toBe(true);
  expect(isCut(long.slice(0, 64 * 1024 - 1))).toBe(false);
});

test("elements of any other name say nothing about a case", async () => {
  const others = ["toString", "constructor", "__proto__", "hasOwnProperty"].map((name) => `<${name} message="m"/>`);
  const cases = await read(`<testsuite><testcase name="a">${others.join("")}</testcase></testsuite>`);
  expect(cases).toMatchObject([{ name: "a", status: "passed", message: "" }]);
});

test("cases of one suite share it, also around an inner one", async () => {
  const inner = `<testsuite name="a"><testcase/></testsuite>`;
  const cases = await read(`<testsuite name="a"><testcase/>${inner}<testcase/></testsuite>`);
  const [first, second, third] = cases.map(({ suite }) => suite);
  expect(third).toBe(first);
  expect(second).not.toBe(first);
});

test("waits for each case before the next, and hands over those before an error", async () => {
  const events: string[] = [];
  async function* content() {
    yield Buffer.from("<testsuite><testcase name='a'/><testcase name='b'/></wrong>");
  }
  const reading = readJunit(content(), async ({ name }) => {
    events.push(`begin ${name}`);
    await new Promise(setImmediate);
    events.push(`end ${name}`);
  });
  await expect(reading).rejects.toMatchObject({ code: "invalid" });
  expect(events).toEqual(["begin a", "end a", "begin b", "end b"]);
});
