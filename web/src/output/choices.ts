import { useState } from "preact/hooks";

/** How the reader wants to see outputs, as long as the page is open. */
const choices = { wraps: true, times: false };

/** Returns a choice and a function that reverses it. All outputs share it. */
export function useChoice(name: keyof typeof choices): readonly [boolean, () => void] {
  const [chosen, setChosen] = useState(choices[name]);
  return [
    chosen,
    () => {
      choices[name] = !chosen;
      setChosen(!chosen);
    },
  ];
}
