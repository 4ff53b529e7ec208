import type { ComponentChildren } from "preact";
import { go } from "../../location.js";

/** The filters of a list. The address holds them, so that going back works. */
export const FilterForm = ({ children }: { children: ComponentChildren }) => (
  <form
    key={location.search}
    class="filters"
    aria-label="Filters"
    onSubmit={(event) => {
      event.preventDefault();
      const fields = new FormData(event.currentTarget);
      const given = [...fields].filter(([, value]) => value !== "") as [string, string][];
      go(`${location.pathname}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`);
    }}
  >
    {children}
    <button type="submit">Filter</button>
  </form>
);
