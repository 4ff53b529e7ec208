import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import { Composer, type CST, Lexer, LineCounter, type ParsedNode, Parser } from "yaml";
import type { Place } from "./complaints.js";
import { refuseTags } from "./tags.js";
import { isMapping, type Mapping, type Tree, toTree, YamlError } from "./tree.js";
import { reasonOf } from "./yaml-reasons.js";

// Composing is recursive. This depth fits on the call stack easily and is far more than a manifest needs.
const maxDepth = fixedLimit({
  max: 32,
  about: "levels of a manifest",
  refusal: "Manifest invalid YAML: Nested more than N levels deep at line M, column M",
});
// Far more than a manifest needs. A text of a million commas would block the process for seconds.
const maxTokens = fixedLimit({
  max: 400_000,
  about: "tokens of a manifest",
  refusal: "Manifest invalid YAML: More than N tokens at line M, column M",
});
const maxExpansions = fixedLimit({
  max: 100,
  about: "aliases that a manifest expands",
  refusal: "Manifest invalid YAML: More than N alias expansions at line M, column M",
});

function libraryError(message: string, offset: number): YamlError {
  const { reason, advice } = reasonOf(message);
  return new YamlError(quoted(reason), offset, advice);
}

function tokensOf(text: string, lines: LineCounter): CST.Token[] {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let documents = 0;
  let lexemes = 0;
  const take = (token: CST.Token) => {
    if (token.type === "error") throw libraryError(token.message, token.offset);
    if (token.type === "document" && ++documents > 1) throw new YamlError("More than one document", token.offset);
    tokens.push(token);
  };
  for (const lexeme of new Lexer().lex(text)) {
    if (++lexemes > maxTokens) throw new YamlError(`More than ${maxTokens} tokens`, parser.offset);
    for (const token of parser.next(lexeme)) take(token);
    if (parser.stack.length > maxDepth) throw new YamlError(`Nested more than ${maxDepth} levels deep`, parser.offset);
  }
  for (const token of parser.end()) take(token);
  return tokens;
}

type ErrorPlace = number | readonly number[] | { readonly offset: number };
const offsetOf = (place: ErrorPlace): number =>
  typeof place === "number" ? place : "offset" in place ? place.offset : (place[0] ?? 0);

function compose(tokens: CST.Token[], length: number): ParsedNode | null {
  const composer = new Composer<ParsedNode>({ schema: "failsafe", uniqueKeys: false, resolveKnownTags: false });
  let first: YamlError | undefined;
  const onError = (place: ErrorPlace, _code: string, message: string, warning?: boolean) => {
    if (warning) return;
    first ??= libraryError(message, offsetOf(place));
    throw first;
  };
  // Stop at the first error. The composer would collect a million errors, each with its stack.
  Object.assign(composer, { onError });
  const [document] = composer.compose(tokens, true, length);
  const error = document?.errors[0];
  if (error) throw libraryError(error.message, error.pos[0]);
  return document?.contents ?? null;
}

/** Returns the line and the column of an offset, both from 1. */
type PlaceOf = (offset: number) => Place;

/** Reads one YAML mapping in bounded, linear time. Scalars stay texts. Returns the first error with its place. */
export function readYaml(
  text: string,
  maxExpandedSize: number,
  isStored = false,
): { root: Tree & { readonly value: Mapping }; placeOf: PlaceOf } | { reason: string; place: Place } {
  const lines = new LineCounter();
  // Each blank line at the end would become a token, so keep only a few.
  const content = text.slice(0, text.trimEnd().length + 100);
  const placeOf = (offset: number) => {
    const { line, col: column } = lines.linePos(Math.min(offset, content.length));
    return { line, column };
  };
  try {
    const tokens = tokensOf(content, lines);
    if (!isStored) refuseTags(tokens);
    const root = toTree(compose(tokens, content.length), { maxExpansions, maxExpandedSize });
    if (!isMapping(root)) throw new YamlError("A manifest must be a mapping", 0);
    return { root, placeOf };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const place = placeOf(error.offset);
    const reason = error.message.replace(/\p{Cc}/gu, "\uFFFD");
    const where = `at line ${place.line}, column ${place.column}`;
    return { reason: `${reason} ${where}${error.advice ? `; ${error.advice}` : ""}`, place };
  }
}
