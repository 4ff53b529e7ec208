/** The shell announces each command of a job with this. */
const announces = /^\+ \S/;

/** Reports whether a line announces a command, so that what follows is its output. */
export const isCommand = (text: string): boolean => announces.test(text);

export const lineAfter = (line: Element): Element | null =>
  line.nextElementSibling ?? line.parentElement?.nextElementSibling?.firstElementChild ?? null;
const lineBefore = (line: Element): Element | null =>
  line.previousElementSibling ?? line.parentElement?.previousElementSibling?.lastElementChild ?? null;

const isHead = (line: Element): boolean => line.classList.contains("head");
const buttonOf = (head: Element): Element | null => head.querySelector("button");

/** Hides or shows the lines from one on, up to the next command. A block without a visible line takes no room. */
export function setHidden(from: Element | null, hidden: boolean): void {
  const blocks = new Set<HTMLElement>();
  for (let line = from; line && !isHead(line); line = lineAfter(line)) {
    (line as HTMLElement).hidden = hidden;
    blocks.add(line.parentElement!);
  }
  for (const block of blocks) block.hidden = ![...block.children].some((line) => !(line as HTMLElement).hidden);
}

/** Gives the line of a command a button that hides its output. */
export function addFold(head: Element, command: string): void {
  if (buttonOf(head)) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "fold";
  button.setAttribute("aria-label", `Output of ${command.slice(2, 100)}`);
  button.setAttribute("aria-expanded", "true");
  head.prepend(button);
}

/** Makes the last added line a head if the line after it, already on the page, is output. */
export function joinFold(last: Element, next: Element): void {
  if (isHead(last) && !isHead(next)) addFold(last, last.textContent ?? "");
}

export const isFolded = (head: Element | undefined): boolean =>
  head !== undefined && buttonOf(head)?.getAttribute("aria-expanded") === "false";

/** Folds the output of a command, or unfolds it. */
export function toggleFold(head: Element): void {
  const folded = !isFolded(head);
  buttonOf(head)?.setAttribute("aria-expanded", String(!folded));
  setHidden(lineAfter(head), folded);
}

/** Unfolds what hides a line. */
export function reveal(line: HTMLElement): void {
  if (!line.hidden) return;
  let head = lineBefore(line);
  while (head && !isHead(head)) head = lineBefore(head);
  if (head) toggleFold(head);
}
