import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "./location.js";

/** What happened, for the person who did it. */
export interface Saying {
  readonly text: string;
}

let forNextPage = "";

/** Opens another page of ours, which says what happened. */
export function goAndSay(address: string, text: string): void {
  forNextPage = text;
  go(address);
}

/** Keeps the sentence on what has just happened. */
export function useSaid(): [Saying, (text: string) => void] {
  const [said, setSaid] = useState<Saying>(() => {
    const text = forNextPage;
    forNextPage = "";
    return { text };
  });
  return [said, (text) => setSaid({ text })];
}

/** Says what happened. Takes the focus if it was on something that is gone. */
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
