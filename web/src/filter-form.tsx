import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { go } from "./location.js";

const inAddress = (name: string): string => new URLSearchParams(location.search).get(name) ?? "";

function apply(form: HTMLFormElement): void {
  const given = [...new FormData(form)].filter(([, value]) => value !== "") as [string, string][];
  go(`${location.pathname}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`);
}

/** The filters of a list. The address holds them, so that going back works. Choices apply at once, text with the button. */
export const FilterForm = ({ children }: { children: ComponentChildren }) => (
  <form
    key={location.search}
    class="filters"
    aria-label="Filters"
    onSubmit={(event) => {
      event.preventDefault();
      apply(event.currentTarget);
    }}
    onChange={(event) => {
      if (event.target instanceof HTMLSelectElement) apply(event.currentTarget);
    }}
  >
    {children}
    <button type="submit">Filter</button>
  </form>
);

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
    <select name={name} value={inAddress(name)}>
      <option value="">any</option>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  </label>
);
