import type { ComponentChildren } from "preact";
import { client, currentPath } from "./api.js";
import { useData, useNow } from "./data.js";
import { Complaint, Failed, Loading, Page } from "./parts.js";
import { Said, useSaid } from "./said.js";

interface Props<T> {
  /** The title until the name of the record is known. */
  readonly kind: string;
  readonly nameOf: (record: T) => string;
  readonly actions?: (record: T, done: (text: string) => void) => ComponentChildren;
  readonly everyMs?: (record: T) => number | undefined;
  readonly children: (record: T, now: number, done: (text: string) => void) => ComponentChildren;
}

/** The page of the record at the open address, with what can be done to it. */
export function OneRecord<T>({ kind, nameOf, actions, everyMs, children }: Props<T>) {
  const path = currentPath();
  const load = async (): Promise<T> => (await client.request(path)).json();
  const { data, error, reload } = useData(`record ${path}`, load, { everyMs });
  const [said, say] = useSaid();
  const now = useNow(false);
  const done = (text: string) => {
    say(text);
    reload();
  };
  if (error && !data) return <Failed error={error} />;
  if (!data)
    return (
      <Page title={kind}>
        <Loading />
      </Page>
    );
  return (
    <Page title={`${kind} ${nameOf(data)}`} actions={actions?.(data, done)}>
      <Said said={said} />
      {error !== undefined && <Complaint error={error} />}
      {children(data, now, done)}
    </Page>
  );
}
