import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import { SaxesParser } from "saxes";

type CaseStatus = "passed" | "failed" | "skipped";

export interface ReportedSuite {
  readonly name: string;
}

/** A test case as a report has it. Texts are cut. Cases of one suite share its object. */
export interface ReportedCase {
  readonly suite: ReportedSuite;
  readonly className: string;
  readonly name: string;
  readonly status: CaseStatus;
  readonly seconds: number;
  readonly message: string;
  readonly output: string;
}

const maxDepth = fixedLimit({
  max: 100,
  about: "levels of elements in a test report, and attributes of an element",
  effect: "the rest of the report is not read",
});
/** More than is stored, because masking shortens texts. */
const maxTextLength = fixedLimit({
  max: 64 * 1024,
  about: "characters of one text in a test report that a runner reads",
  effect: "the rest is left out",
});
const maxSeconds = 1e9;

const cut = (text = "") => text.slice(0, maxTextLength);
export const isCut = (text: string): boolean => text.length >= maxTextLength;

const malformed = (why: string) => new Fault("invalid", `the report cannot be read: ${why}`);

const secondsOf = (text: string): number => {
  const seconds = Number(text.replaceAll(",", ""));
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), maxSeconds) : 0;
};

type Attributes = Readonly<Record<string, string>>;
type Open = { -readonly [K in keyof ReportedCase]: ReportedCase[K] };

/** The elements of a test case that say more about it. */
const outcomes = new Map<string, CaseStatus>([
  ["failure", "failed"],
  ["error", "failed"],
  ["skipped", "skipped"],
]);
const noSuite: ReportedSuite = { name: "" };
const outputs = new Set(["failure", "error", "system-out", "system-err"]);

/** Follows the elements of a report. */
function reader(onCase: (one: ReportedCase) => unknown) {
  const suites: ReportedSuite[] = [];
  const elements: string[] = [];
  let open: Open | undefined;

  function begin(name: string, attributes: Attributes): void {
    elements.push(name);
    if (elements.length > maxDepth) throw malformed(`more than ${maxDepth} levels`);
    if (name === "testsuite") suites.push({ name: cut(attributes.name) });
    else if (name === "testcase") {
      const [title, className, seconds] = [cut(attributes.name), cut(attributes.classname), cut(attributes.time)];
      const suite = suites.at(-1) ?? noSuite;
      open = { suite, className, name: title, status: "passed", seconds: secondsOf(seconds), message: "", output: "" };
    } else if (open && outcomes.has(name)) {
      if (open.status !== "failed") open.status = outcomes.get(name)!;
      open.message ||= cut(attributes.message);
    }
  }

  function text(part: string): void {
    if (!open || !outputs.has(elements.at(-1) ?? "")) return;
    if (open.output.length < maxTextLength) open.output += part.slice(0, maxTextLength - open.output.length);
  }

  function end(name: string): void {
    elements.pop();
    if (name === "testsuite") suites.pop();
    if (name !== "testcase" || !open) return;
    onCase(open);
    open = undefined;
  }
  return { begin, text, end };
}

/**
 * Reads a JUnit report piece by piece and awaits `onCase` for each case. Throws a Fault for malformed XML and for a
 * document type, so there are no entities but those of XML itself, and nothing else is read.
 */
export async function readJunit(
  content: AsyncIterable<Uint8Array>,
  onCase: (one: ReportedCase) => unknown,
): Promise<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parser = new SaxesParser({ position: false });
  let ready: ReportedCase[] = [];
  const { begin, text, end } = reader((one) => ready.push(one));
  let attributes = 0;
  parser.on("doctype", () => {
    throw malformed("it has a document type");
  });
  parser.on("error", ({ message }) => {
    throw malformed(message.slice(0, 200));
  });
  parser.on("opentagstart", () => {
    attributes = 0;
  });
  parser.on("attribute", () => {
    if (++attributes > maxDepth) throw malformed(`more than ${maxDepth} attributes`);
  });
  parser.on("opentag", ({ name, attributes: given }) => begin(name, given as Attributes));
  parser.on("text", text);
  parser.on("cdata", text);
  parser.on("closetag", ({ name }) => end(name));
  const write = (bytes?: Uint8Array) => {
    try {
      parser.write(bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode());
    } catch (error) {
      throw error instanceof Fault ? error : malformed("it is not UTF-8");
    }
  };
  const handle = async (bytes?: Uint8Array) => {
    try {
      write(bytes);
    } finally {
      const cases = ready;
      ready = [];
      for (const one of cases) await onCase(one);
    }
  };
  for await (const bytes of content)
    for (let from = 0; from < bytes.length; from += sliceBytes) {
      await handle(bytes.subarray(from, from + sliceBytes));
      // Other builds of this runner have their turn.
      await new Promise(setImmediate);
    }
  await handle();
  parser.close();
}

const sliceBytes = 32 * 1024;
