// Reports the shape of the code and checks its limits: a step of `npm run check`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "@swc/core";
import { repoRoot, run } from "../provision/machine.mjs";

const limits = { fileLines: 300, functionLines: 80, commentShare: 0.08, steps: 5 };

/**
 * Our own functions that a submitted build passes from the socket to the disk: file and name. Each calls the next one,
 * or the RPC of that name.
 */
const submission = [
  ["services/gateway/src/routes/builds.ts", "submitBuild"],
  ["services/builds/src/rpc/submit-build.ts", "submitBuild"],
  ["services/builds/src/actions/submit/prepare-build.ts", "prepareBuild"],
  ["services/builds/src/actions/submit/queue-builds.ts", "queueInTurn"],
  ["services/builds/src/store/builds.ts", "insert"],
];

/** @typedef {{ path: string, text: string, lines: string[] }} Source */

/** Reads the code that ships: everything below src except tests and generated files. @returns {Promise<Source[]>} */
const shippedSources = async () => {
  const folders = ["cli", "libs/*", "local-run", "services/*", "web"].flatMap((folder) =>
    ["ts", "tsx"].map((type) => `${folder}/src/*.${type}`),
  );
  const { stdout } = await run("git", ["ls-files", "--", ...folders], { cwd: repoRoot });
  const paths = stdout
    .split("\n")
    .filter((path) => path && !path.endsWith(".test.ts") && !path.startsWith("libs/testkit"));
  return paths.map((path) => {
    const text = readFileSync(join(repoRoot, path), "utf8");
    return { path, text, lines: text.trimEnd().split("\n") };
  });
};

/** @param {string} line */
const isComment = (line) => /^\s*(\/\/|\/\*|\*)/.test(line);

/** @param {Source[]} sources */
const commentShare = (sources) => {
  const written = sources.flatMap(({ lines }) => lines.filter((line) => line.trim() !== ""));
  return written.filter(isComment).length / written.length;
};

/**
 * Finds the longest function of a file. The parser counts bytes across all files of a process, so positions are
 * relative to the start of the module.
 * @param {Pick<Source, "path" | "text">} source
 */
export const longestFunction = ({ path, text }) => {
  const bytes = Buffer.from(text);
  const module = parseSync(text, { syntax: "typescript", tsx: path.endsWith(".tsx"), target: "es2022" });
  const start = firstToken(bytes);
  let longest = { path, line: 0, lines: 0 };
  const visit = (/** @type {any} */ node) => {
    if (node === null || typeof node !== "object") return;
    if (isFunction(node)) {
      const [from, to] = [node.span.start, node.span.end].map((at) => at - module.span.start + start);
      const lines = bytes.subarray(from, to).toString().split("\n").length;
      if (lines > longest.lines) longest = { path, line: bytes.subarray(0, from).toString().split("\n").length, lines };
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(module.body);
  return longest;
};

const functionTypes = new Set([
  ...["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"],
  ...["Constructor", "ClassMethod", "PrivateMethod"],
  ...["MethodProperty", "GetterProperty", "SetterProperty"],
]);

/** The parser keeps the body of some methods, getters and setters in `function`. @param {any} node */
const isFunction = (node) => functionTypes.has(node.type) && node.span && (node.function ?? node).body;

/** Returns where the parser's span of a module begins: after its leading comments. @param {Buffer} bytes */
const firstToken = (bytes) => {
  const text = bytes.toString();
  const [blank] = /^(\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text) ?? [""];
  return Buffer.byteLength(blank);
};

/** Finds the first step of the submission that does not call the next one. @param {Source[]} sources */
const brokenStep = (sources) =>
  submission.find(([path, name], nth) => {
    const text = sources.find((source) => source.path === path)?.text ?? "";
    const next = submission[nth + 1]?.[1];
    return !new RegExp(`\\b${name}\\b`).test(text) || (next && !new RegExp(`\\b${next}\\(`).test(text));
  });

/**
 * Prints the report. Biome checks import fences and circles in an earlier step.
 * @returns {Promise<string | undefined>} what exceeds a limit, if anything
 */
export const reportStructure = async () => {
  const sources = await shippedSources();
  const longestFile = sources.reduce((a, b) => (b.lines.length > a.lines.length ? b : a));
  const func = sources.map(longestFunction).reduce((a, b) => (b.lines > a.lines ? b : a));
  const share = commentShare(sources);
  const broken = brokenStep(sources);
  const sorted = sources.map(({ lines }) => lines.length).sort((a, b) => a - b);
  console.log(`${sources.length} files that ship, median ${sorted[sorted.length >> 1]} lines`);
  console.log(`Longest file: ${longestFile.lines.length} lines (${longestFile.path}), at most ${limits.fileLines}`);
  console.log(`Longest function: ${func.lines} lines (${func.path}:${func.line}), at most ${limits.functionLines}`);
  console.log(`Comments: ${(100 * share).toFixed(1)} % of lines, at most ${100 * limits.commentShare} %`);
  console.log(`POST /builds passes ${submission.length} of our functions, at most ${limits.steps}`);
  const complaints = [
    longestFile.lines.length > limits.fileLines && `${longestFile.path} is too long`,
    func.lines > limits.functionLines && `the function at ${func.path}:${func.line} is too long`,
    share > limits.commentShare && "too many comments",
    broken && `POST /builds no longer passes ${broken.join(": ")} as deploy/local/test/structure.mjs says`,
    submission.length > limits.steps && "POST /builds passes too many functions",
  ].filter(Boolean);
  return complaints.join("; ") || undefined;
};
