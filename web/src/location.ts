import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { base } from "./api.js";
import { below } from "./routes.js";

const changed = new EventTarget();
const announce = () => changed.dispatchEvent(new Event("change"));
/** How far the reader had scrolled when leaving the page that the way back leads to. */
let formerTop: number | undefined;
addEventListener("popstate", () => {
  formerTop = history.state?.top;
  announce();
});

const keepTop = () => history.replaceState({ ...history.state, top: scrollY }, "");

/** On the way back, scrolls to where the reader was, when a list has its records again. */
export function useScrollBack(): void {
  useLayoutEffect(() => {
    if (formerTop !== undefined) scrollTo({ top: formerTop, behavior: "instant" });
    formerTop = undefined;
    addEventListener("scrollend", keepTop);
    return () => removeEventListener("scrollend", keepTop);
  }, []);
}

/** Opens an address of this page. `replace` leaves no way back to the current one. */
export function go(address: string, { replace = false } = {}): void {
  const isOther = new URL(address, location.href).pathname !== location.pathname;
  formerTop = undefined;
  if (replace) history.replaceState(null, "", address);
  else {
    keepTop();
    history.pushState(null, "", address);
  }
  announce();
  if (isOther) scrollTo(0, 0);
}

/** Renders again when the address changes. */
export function useAddress(): string {
  const [address, setAddress] = useState(location.href);
  useEffect(() => {
    const update = () => setAddress(location.href);
    changed.addEventListener("change", update);
    addEventListener("hashchange", update);
    return () => {
      changed.removeEventListener("change", update);
      removeEventListener("hashchange", update);
    };
  }, []);
  return address;
}

/** Reports whether a click follows a link to another page of ours in this tab. */
function followsLink(event: MouseEvent, link: HTMLAnchorElement): boolean {
  if (event.defaultPrevented || event.button !== 0) return false;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  if (link.target || link.hasAttribute("download") || link.rel === "external") return false;
  const { origin, pathname, search, searchParams, hash } = new URL(link.href);
  const isPlaceOnPage = hash !== "" && pathname === location.pathname && search === location.search;
  if (searchParams.has("download")) return false;
  return origin === location.origin && !isPlaceOnPage && below(base, pathname) !== undefined;
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link?.href || !followsLink(event, link)) return;
  event.preventDefault();
  go(link.href);
});
