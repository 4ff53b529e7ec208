import { Composer, type CST, Lexer, LineCounter, type ParsedNode, Parser } from "yaml";
import { Mistake, type Tree, toTree } from "./tree.js";

// Composing is recursive: this is far below what a call stack holds and far above what a manifest needs.
const maxDepth = 32;
// Far above what scripts hold. Reading the million of a text made of commas would stop everybody else for seconds.
const maxTokens = 400_000;
const maxExpansions = 100;
const maxReasonLength = 200;

/** The tokens of a text that holds at most one document. */
function tokensOf(text: string, lines: LineCounter): CST.Token[] {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let documents = 0;
  let lexemes = 0;
  const take = (token: CST.Token) => {
    if (token.type === "error") throw new Mistake(token.message, token.offset);
    if (token.type === "document" && ++documents > 1) throw new Mistake("More than one document", token.offset);
    tokens.push(token);
  };
  for (const lexeme of new Lexer().lex(text)) {
    if (++lexemes > maxTokens) throw new Mistake(`More than ${maxTokens} tokens`, parser.offset);
    for (const token of parser.next(lexeme)) take(token);
    if (parser.stack.length > maxDepth) throw new Mistake(`Nested more than ${maxDepth} levels deep`, parser.offset);
  }
  for (const token of parser.end()) take(token);
  return tokens;
}

type Place = number | readonly number[] | { readonly offset: number };
const offsetOf = (place: Place): number =>
  typeof place === "number" ? place : "offset" in place ? place.offset : (place[0] ?? 0);

function compose(tokens: CST.Token[], length: number): ParsedNode | null {
  const composer = new Composer<ParsedNode>({ schema: "failsafe", uniqueKeys: false, resolveKnownTags: false });
  let first: Mistake | undefined;
  const onError = (place: Place, _code: string, message: string, warning?: boolean) => {
    if (warning) return;
    first ??= new Mistake(message, offsetOf(place));
    throw first;
  };
  // The composer would go on and gather a million errors with a million stacks; one is all that is told.
  Object.assign(composer, { onError });
  const [document] = composer.compose(tokens, true, length);
  const error = document?.errors[0];
  if (error) throw new Mistake(error.message, error.pos[0]);
  return document?.contents ?? null;
}

/**
 * Reads one YAML document whose top is a mapping. Scalars keep their source text: no number or boolean is made of them.
 * Takes time linear to the text, and bounded, whatever is in it; answers the first mistake with its place.
 */
export function readYaml(text: string, maxExpandedSize: number): { root: Map<string, Tree> } | { reason: string } {
  const lines = new LineCounter();
  // Blank lines at the end say nothing, but each would be a token: a few are enough.
  const content = text.slice(0, text.trimEnd().length + 100);
  try {
    const root = toTree(compose(tokensOf(content, lines), content.length), { maxExpansions, maxExpandedSize });
    if (!(root instanceof Map)) throw new Mistake("A manifest must be a mapping", 0);
    return { root };
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    const { line, col } = lines.linePos(Math.min(error.offset, content.length));
    return { reason: `${error.message.slice(0, maxReasonLength)} at line ${line}, column ${col}` };
  }
}
