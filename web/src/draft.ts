import { useEffect, useRef, useState } from "preact/hooks";
import { useUser } from "./user.js";

type Fields = Readonly<Record<string, string>>;

interface Draft<T> {
  readonly userId: number;
  readonly fields: T;
  readonly submitted: boolean;
}

const keptAs = "service-ci-draft";
/** Marks the place in the history from which the draft was submitted. */
const submittedHere = "submitted";

/** Removes what was typed. The browser may deny us its storage. */
export function dropDraft(): void {
  try {
    sessionStorage.removeItem(keptAs);
  } catch {}
}

function keepDraft<T>(draft: Draft<T>): void {
  try {
    sessionStorage.setItem(keptAs, JSON.stringify(draft));
  } catch {}
}

/** Returns what the user typed, unless it was submitted from elsewhere. Removes another user's draft. */
function draftOf<T>(userId: number): T | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(keptAs) ?? "null") as Draft<T> | null;
    if (draft && draft.userId !== userId) dropDraft();
    else if (draft && (!draft.submitted || history.state === submittedHere)) return draft.fields;
  } catch {}
  return undefined;
}

/**
 * Holds the fields of a form. The tab keeps them for its user until they are submitted, and afterwards for the way back.
 * Returns the fields, a function that changes some, and one to call after the submission.
 */
export function useDraft<T extends Fields>(initial: T): [T, (change: Partial<T>) => void, () => void] {
  const user = useUser();
  const owner = useRef<number>(undefined);
  const [fields, setFields] = useState(initial);
  useEffect(() => {
    if (!user || user.id === owner.current) return;
    owner.current = user.id;
    const draft = draftOf<T>(user.id);
    if (draft) setFields((typed) => (typed === initial ? draft : typed));
  }, [user?.id]);
  const keep = (fields: T, submitted: boolean) => {
    if (owner.current !== undefined) keepDraft({ userId: owner.current, fields, submitted });
  };
  const change = (changed: Partial<T>) => {
    const next = { ...fields, ...changed };
    setFields(next);
    keep(next, false);
  };
  const submitted = () => {
    keep(fields, true);
    history.replaceState(submittedHere, "");
  };
  return [fields, change, submitted];
}
