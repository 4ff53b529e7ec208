import type { ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeptFields } from "./kept-fields.js";
import { Complaint } from "./parts.js";
import { useWork } from "./work.js";

interface FormProps {
  readonly action: string;
  readonly submit: (fields: FormData) => Promise<unknown>;
  readonly onDone?: (() => void) | undefined;
  /** Whether something else changes what the form is about. */
  readonly waits?: boolean;
  readonly children: ComponentChildren;
}

/** Fields and one button. The fields keep their values if the server refuses them, and are emptied once it accepts them. */
export function Form({ action, submit, onDone, waits = false, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useKeptFields(form, action);
  const { busy, failure, start } = useWork(() => {
    form.current?.reset();
    onDone?.();
  });
  return (
    <form
      ref={form}
      class="change"
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        if (!busy && !waits) start(() => submit(fields));
      }}
    >
      <div class="fields">{children}</div>
      {failure !== undefined && <Complaint error={failure} />}
      <button type="submit" class="primary" aria-disabled={busy || waits}>
        {busy ? `${action} …` : action}
      </button>
    </form>
  );
}

/** Returns the text of a field without spaces around it. */
export const textOf = (fields: FormData, name: string): string => String(fields.get(name) ?? "").trim();

interface Labelled {
  readonly name: string;
  readonly label: string;
  /** What to enter, if the label does not say it. */
  readonly hint?: string | undefined;
  /** Whether the tab may not keep what was typed. */
  readonly secret?: boolean;
}

type FieldProps = Labelled &
  InputHTMLAttributes<HTMLInputElement> & {
    /** Suggestions of the browser while the user types. */
    readonly proposals?: readonly string[];
  };

/** A field of one line. */
export function Field({ label, hint, proposals, secret, ...input }: FieldProps) {
  const id = useId();
  const attributes = proposals ? { ...input, list: `${id}-proposals` } : input;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        autoComplete="off"
        data-secret={secret || undefined}
        {...(attributes as InputHTMLAttributes<HTMLInputElement>)}
      />
      {proposals && (
        <datalist id={`${id}-proposals`}>
          {proposals.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
      {hint && (
        <p class="quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

type LongFieldProps = Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>;

/** A field of several lines. */
export function LongField({ label, hint, value, secret, ...input }: LongFieldProps) {
  const id = useId();
  return (
    <div class="field long">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={6}
        spellcheck={false}
        autoComplete="off"
        aria-describedby={hint ? `${id}-hint` : undefined}
        data-secret={secret || undefined}
        defaultValue={value}
        {...input}
      />
      {hint && (
        <p class="quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A choice of one value. `options` has the label of each; `value` is the default. */
export function Choice({
  label,
  options,
  value: chosen,
  ...input
}: Labelled & { options: Readonly<Record<string, string>>; value?: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} {...input}>
        {Object.entries(options).map(([value, words]) => (
          // A reset of the form returns to the default, which Preact's types do not know.
          <option key={value} value={value} {...({ defaultSelected: value === chosen } as object)}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A checkbox. */
export const Check = ({ name, label, checked }: Labelled & { checked?: boolean }) => (
  <label class="check">
    <input type="checkbox" name={name} value="true" defaultChecked={checked ?? false} /> {label}
  </label>
);

interface AskingProps {
  /** Label of the button. */
  readonly action: string;
  /** Full name of the action: `Delete the variable TOKEN`. */
  readonly name: string;
  readonly warning?: string;
  readonly work: () => Promise<unknown>;
  readonly onDone: () => void;
}

export function Asking({ action, name, warning, work, onDone }: AskingProps) {
  const [asked, setAsked] = useState(false);
  const cancel = useRef<HTMLButtonElement>(null);
  const ask = useRef<HTMLButtonElement>(null);
  const wasAsked = useRef(false);
  const { busy, failure, start } = useWork(() => {
    // The button usually disappears with the removed record.
    wasAsked.current = false;
    setAsked(false);
    onDone();
  });
  useLayoutEffect(() => {
    if (asked) cancel.current?.focus();
    else if (wasAsked.current) ask.current?.focus();
    wasAsked.current = asked;
  }, [asked]);
  if (!asked)
    return (
      <button type="button" ref={ask} aria-label={name} onClick={() => setAsked(true)}>
        {action}
      </button>
    );
  return (
    <div class="ask">
      {warning && <p role="alert">{warning}</p>}
      <button type="button" class="danger" aria-disabled={busy} onClick={() => busy || start(work)}>
        {name}
      </button>
      <button type="button" ref={cancel} onClick={() => setAsked(false)}>
        Cancel
      </button>
      {failure !== undefined && <Complaint error={failure} />}
    </div>
  );
}

interface RemoveProps extends Pick<AskingProps, "work" | "onDone"> {
  /** Name of what is removed, for screen readers: `the variable TOKEN`. */
  readonly what: string;
  readonly action?: string;
}

/** A button that asks before it removes something. */
export const Remove = ({ what, action = "Delete", ...work }: RemoveProps) => (
  <Asking action={action} name={`${action} ${what}`} {...work} />
);
