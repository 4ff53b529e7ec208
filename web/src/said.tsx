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

/** Holds the confirmation of the last action. */
export function useSaid(): [Saying, (text: string) => void] {
  const [said, setSaid] = useState<Saying>(() => {
    const text = forNextPage;
    forNextPage = "";
    return { text };
  });
  return [said, (text) => setSaid({ text })];
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
