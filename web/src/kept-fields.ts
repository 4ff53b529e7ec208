import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { currentPath } from "./api.js";
import { tabStorage } from "./tab-storage.js";
import { useUser } from "./user.js";

type Values = Readonly<Record<string, string | boolean>>;

interface Kept {
  readonly userId: number;
  /** By page and form. */
  readonly forms: Readonly<Record<string, { readonly values: Values; readonly atMs: number }>>;
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const storage = tabStorage<Kept>("service-ci-fields");
const keptMs = 60 * 60 * 1000;
const neverKept = ["password", "file", "hidden", "submit", "button"];

const isBox = (field: Field): field is HTMLInputElement => field.type === "checkbox";
const keyOf = (field: Field): string => (isBox(field) ? `${field.name} ${field.value}` : field.name);
const contentOf = (field: Field): string | boolean => (isBox(field) ? field.checked : field.value);

/** The fields of a form that hold no secret. */
const fieldsOf = (form: HTMLFormElement): Field[] =>
  ([...form.elements] as Field[]).filter(
    ({ name, type, dataset }) => name && !neverKept.includes(type) && dataset.secret === undefined,
  );

const valuesOf = (form: HTMLFormElement): Values =>
  Object.fromEntries(fieldsOf(form).map((field) => [keyOf(field), contentOf(field)]));

function fill(form: HTMLFormElement, values: Values): void {
  for (const field of fieldsOf(form)) {
    const value = values[keyOf(field)];
    if (value === undefined) continue;
    if (isBox(field)) field.checked = value === true;
    else field.value = String(value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const details = form.closest("details");
  if (details) details.open = true;
}

const freshOf = (forms: Kept["forms"]): Kept["forms"] =>
  Object.fromEntries(Object.entries(forms).filter(([, { atMs }]) => Date.now() - atMs < keptMs));

/** Signing out also leads to that page, but not back. */
const isSigningIn = (): boolean => currentPath() === "/-/sign-in" && new URLSearchParams(location.search).has("next");

/** Keeps what was typed into a form, except for secrets, while its user signs in again. */
export function useKeptFields(form: RefObject<HTMLFormElement | null>, name: string): void {
  const user = useUser();
  const owner = useRef<number>(undefined);
  const place = useRef(`${currentPath()} ${name}`);
  useLayoutEffect(() => {
    const element = form.current!;
    const initial = valuesOf(element);
    return () => {
      if (owner.current === undefined || !isSigningIn()) return;
      const typed = Object.entries(valuesOf(element)).filter(([key, value]) => value !== initial[key]);
      if (typed.length === 0) return;
      const kept = { values: Object.fromEntries(typed), atMs: Date.now() };
      const forms = { ...storage.of(owner.current)?.forms, [place.current]: kept };
      storage.keep({ userId: owner.current, forms });
    };
  }, []);
  useEffect(() => {
    if (!user || user.id === owner.current) return;
    owner.current = user.id;
    const all = storage.of(user.id)?.forms;
    if (!all || !form.current) return;
    const { [place.current]: kept, ...forms } = freshOf(all);
    if (kept) fill(form.current, kept.values);
    storage.keep({ userId: user.id, forms });
  }, [user?.id]);
}
