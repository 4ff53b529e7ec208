import { useEffect, useRef, useState } from "preact/hooks";
import { tabStorage } from "./tab-storage.js";
import { useUser } from "./user.js";

type Fields = Readonly<Record<string, string>>;

interface Draft {
  /** The query of the page where it was typed. */
  readonly query: string;
  readonly fields: Fields;
  readonly submitted: boolean;
}

interface Drafts {
  readonly userId: number;
  /** The oldest first. */
  readonly drafts: readonly Draft[];
}

const maxDrafts = 5;
const storage = tabStorage<Drafts>("service-ci-drafts");
/** Returns what the user typed here, unless it was submitted from elsewhere. */
function draftOf<T>(userId: number): T | undefined {
  const draft = storage.of(userId)?.drafts.find(({ query }) => query === location.search);
  const isHere = draft && (!draft.submitted || history.state?.submitted);
  return isHere ? (draft.fields as T) : undefined;
}

function keepDraft(userId: number, draft: Draft): void {
  const others = storage.of(userId)?.drafts.filter(({ query }) => query !== draft.query) ?? [];
  storage.keep({ userId, drafts: [...others, draft].slice(-maxDrafts) });
}

/**
 * Holds the fields of a form. The tab keeps them for its user until they are submitted, and afterwards for the way back.
 * Returns the fields, a function that changes some, and one to call after the submission.
 */
export function useDraft<T extends Fields>(initial: T): [T, (change: Partial<T>) => void, () => void] {
  const user = useUser();
  const owner = useRef<number>(undefined);
  const { current: first } = useRef(initial);
  const [fields, setFields] = useState(first);
  const keep = (fields: T, submitted: boolean) => {
    if (owner.current !== undefined) keepDraft(owner.current, { query: location.search, fields, submitted });
  };
  useEffect(() => {
    if (!user || user.id === owner.current) return;
    const wasUnknown = owner.current === undefined;
    owner.current = user.id;
    const draft = draftOf<T>(user.id);
    if (wasUnknown && fields !== first) keep(fields, false);
    else if (draft) setFields((typed) => (typed === first ? draft : typed));
  }, [user?.id]);
  const change = (changed: Partial<T>) => {
    const next = { ...fields, ...changed };
    setFields(next);
    keep(next, false);
  };
  const submitted = () => {
    keep(fields, true);
    history.replaceState({ ...history.state, submitted: true }, "");
  };
  return [fields, change, submitted];
}
