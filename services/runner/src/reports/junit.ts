import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import { SaxesParser } from "saxes";

export type CaseStatus = "passed" | "failed" | "skipped";

/** A test case as a report has it. Texts are cut. */
export interface ReportedCase {
  readonly suite: string;
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
/** More than is stored, so that a secret that is cut off here does not show. */
const maxTextLength = fixedLimit({
  max: 64 * 1024,
  about: "characters of one text in a test report that a runner reads",
  effect: "the rest is left out",
});
const maxSeconds = 1e9;

const malformed = (why: string) => new Fault("invalid", `the report cannot be read: ${why}`);

const secondsOf = (text = ""): number => {
  const seconds = Number(text.replaceAll(",", ""));
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), maxSeconds) : 0;
};

type Attributes = Readonly<Record<string, string>>;
type Open = { -readonly [K in keyof ReportedCase]: ReportedCase[K] };

/** The elements of a test case that say more about it. */
const outcomes: Readonly<Record<string, CaseStatus>> = { failure: "failed", error: "failed", skipped: "skipped" };
const outputs = new Set(["failure", "error", "system-out", "system-err"]);

/** Follows the elements of a report. */
function reader(onCase: (one: ReportedCase) => void) {
  const suites: string[] = [];
  const elements: string[] = [];
  let open: Open | undefined;

  function begin(name: string, attributes: Attributes): void {
    elements.push(name);
    if (elements.length > maxDepth) throw malformed(`more than ${maxDepth} levels`);
    if (name === "testsuite") suites.push(attributes.name ?? "");
    else if (name === "testcase") {
      const { name: title = "", classname: className = "", time } = attributes;
      const suite = suites.at(-1) ?? "";
      open = { suite, className, name: title, status: "passed", seconds: secondsOf(time), message: "", output: "" };
    } else if (open && outcomes[name]) {
      if (open.status !== "failed") open.status = outcomes[name];
      open.message ||= attributes.message ?? "";
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
 * Reads a JUnit report piece by piece and calls `onCase` for each case. Throws a Fault for malformed XML and for a
 * document type, so there are no entities but those of XML itself, and nothing else is read.
 */
export async function readJunit(
  content: AsyncIterable<Uint8Array>,
  onCase: (one: ReportedCase) => void,
): Promise<void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parser = new SaxesParser({ position: false });
  const { begin, text, end } = reader(onCase);
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
  for await (const bytes of content)
    for (let from = 0; from < bytes.length; from += sliceBytes) {
      write(bytes.subarray(from, from + sliceBytes));
      // Other builds of this runner have their turn.
      await new Promise(setImmediate);
    }
  write();
  parser.close();
}

const sliceBytes = 32 * 1024;
