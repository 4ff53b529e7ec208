import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "./location.js";

/** The confirmation of the user's last action. */
export interface Saying {
  readonly text: string;
}

let forNextPage = "";

/** Opens another of our pages, which shows the confirmation. */
export function goAndSay(address: string, text: string): void {
  forNextPage = text;
  go(address);
}

const nothing: Saying = { text: "" };
const places = new Set<(nothing: Saying) => void>();

/** Takes back all confirmations: the user has begun something else, which may fail. */
export function hush(): void {
  for (const clear of places) clear(nothing);
}

function useHushed(first: () => Saying): [Saying, (text: string) => void] {
  const [said, setSaid] = useState(first);
  useEffect(() => {
    places.add(setSaid);
    return () => void places.delete(setSaid);
  }, []);
  return [said, (text) => setSaid({ text })];
}

/** Holds the confirmation of the last action. */
export const useSaid = (): [Saying, (text: string) => void] =>
  useHushed(() => {
    const text = forNextPage;
    forNextPage = "";
    return { text };
  });

/** Does the same as text, and leaves the confirmation of another page to others. */
export function useSaying(): [string, (text: string) => void] {
  const [{ text }, say] = useHushed(() => nothing);
  return [text, say];
}

/** Shows the confirmation. Takes the focus if the focused element is gone. */
export function Said({ said }: { said: Saying }) {
  const place = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (said.text && (document.activeElement ?? document.body) === document.body)
      place.current?.focus({ preventScroll: true });
  }, [said]);
  return (
    <p class="said" role="status" tabIndex={-1} ref={place}>
      {said.text}
    </p>
  );
}
