import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { currentPath } from "./api.js";
import { tabStorage } from "./tab-storage.js";
import { useUser } from "./user.js";

type Values = Readonly<Record<string, string | boolean>>;

interface Kept {
  readonly userId: number;
  /** By page and form. */
  readonly forms: Readonly<Record<string, Values>>;
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const storage = tabStorage<Kept>("service-ci-fields");
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
      const forms = { ...storage.of(owner.current)?.forms, [place.current]: Object.fromEntries(typed) };
      storage.keep({ userId: owner.current, forms });
    };
  }, []);
  useEffect(() => {
    if (!user || user.id === owner.current) return;
    owner.current = user.id;
    const { [place.current]: values, ...forms } = storage.of(user.id)?.forms ?? {};
    if (!values || !form.current) return;
    fill(form.current, values);
    storage.keep({ userId: user.id, forms });
  }, [user?.id]);
}
