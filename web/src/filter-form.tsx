import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { go } from "./location.js";

const inAddress = (name: string): string => new URLSearchParams(location.search).get(name) ?? "";

function apply(form: HTMLFormElement): void {
  const given = [...new FormData(form)].filter(([, value]) => value !== "") as [string, string][];
  go(`${location.pathname}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`);
}

/** The filters of a list. The button applies them. The address holds them, so that going back works. */
export function FilterForm({ children }: { children: ComponentChildren }) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.reset(), [location.search]);
  return (
    <form
      ref={form}
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        apply(event.currentTarget);
      }}
    >
      {children}
      <button type="submit">Filter</button>
    </form>
  );
}

interface Labelled {
  readonly name: string;
  readonly label: string;
}

/** A filter with a text or a time. */
export const FilterField = ({ name, label, ...input }: Labelled & InputHTMLAttributes<HTMLInputElement>) => (
  <label>
    {label}
    <input name={name} defaultValue={inAddress(name)} {...input} />
  </label>
);

/** A filter with one of several values, each with the words that stand for it. */
export const FilterChoice = ({
  name,
  label,
  options,
}: Labelled & { options: readonly (readonly [string, string])[] }) => (
  <label>
    {label}
    <select name={name}>
      {[["", "any"] as const, ...options].map(([value, words]) => (
        // What a reset of the form returns to, which Preact's types do not know.
        <option key={value} value={value} {...({ defaultSelected: value === inAddress(name) } as object)}>
          {words}
        </option>
      ))}
    </select>
  </label>
);
