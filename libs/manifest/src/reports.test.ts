import { readManifest } from "./manifest.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 10, maxJobs: 10 };
const read = (reports: string) => readManifest(`driver: {type: os}\njobs:\n- reports: ${reports}\n`, limits);

test("the reports of a job are the values of its `junit` entries, in order", () => {
  const reading = read('[{junit: "reports/**/*.xml"}, {junit: a.xml}]');
  expect("manifest" in reading && reading.manifest.jobs[0]!.reports).toEqual(["reports/**/*.xml", "a.xml"]);
});

test.each([
  ["[{}]", "line 3, column 13: a report must have junit"],
  ['[{junit: "a\\nb"}]', "line 3, column 13: junit cannot have control characters"],
  ["[{xunit: a.xml}]", 'line 3: unknown key "xunit" in a report; did you mean "junit"?'],
  [`[${Array.from({ length: 21 }, () => "{junit: a}").join()}]`, "reports cannot have more than 20 entries"],
])("refuses the reports %s", (reports, complaint) => {
  const reading = read(reports);
  expect(reading.complaints.map(({ message }) => message).join("\n")).toContain(complaint);
});
