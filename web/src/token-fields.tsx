import { useRef } from "preact/hooks";
import { serverTime } from "./api.js";
import { Choice, Field, textOf } from "./form.js";

/** Kinds of records that any user's token may have permissions for. */
export const resources = ["build", "invite", "image", "namespace", "object", "variable", "key", "cron", "webhook"];
const permissions = ["read", "write", "delete"];

/** Returns the scope of checked permissions: `build:read build:write`. */
const scopeIn = (fields: FormData): string => fields.getAll("scope").join(" ");

const lifetimes = {
  "30 d": "in 30 days",
  "7 d": "in 7 days",
  "90 d": "in 90 days",
  "365 d": "in a year",
  none: "never",
};

/** Returns when a token created now expires; undefined for never. */
function expiryIn(fields: FormData): string | undefined {
  const days = Number.parseInt(textOf(fields, "expires"), 10);
  return Number.isNaN(days) ? undefined : new Date(serverTime.now() + days * 86_400_000).toISOString();
}

/** Returns the new token that the fields describe. */
export function tokenIn(fields: FormData) {
  const expires = expiryIn(fields);
  return { name: textOf(fields, "name"), scope: scopeIn(fields), ...(expires ? { expires_at: expires } : {}) };
}

/** The fields of a new token for these kinds of records. */
export const TokenFields = (props: { resources: readonly string[] }) => (
  <>
    <Field name="name" label="Name" required hint="Its purpose, such as deploy script" />
    <Choice name="expires" label="Expires" options={lifetimes} />
    <Scope {...props} />
  </>
);

/** Checkboxes for the token's permissions. */
function Scope({ resources }: { resources: readonly string[] }) {
  const table = useRef<HTMLTableElement>(null);
  const check = (isChecked: (value: string) => boolean) => {
    for (const box of table.current?.querySelectorAll("input") ?? []) box.checked = isChecked(box.value);
  };
  return (
    <fieldset class="scope">
      <legend>It may</legend>
      <p class="presets">
        <button type="button" onClick={() => check(() => true)}>
          Everything
        </button>
        <button type="button" onClick={() => check((value) => value.endsWith(":read"))}>
          Only read
        </button>
        <button type="button" onClick={() => check(() => false)}>
          Nothing
        </button>
      </p>
      <table ref={table}>
        <thead>
          <tr>
            <td />
            {permissions.map((permission) => (
              <th key={permission} scope="col">
                {permission}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {resources.map((resource) => (
            <tr key={resource}>
              <th scope="row">{resource}</th>
              {permissions.map((permission) => (
                <td key={permission}>
                  <input
                    type="checkbox"
                    name="scope"
                    value={`${resource}:${permission}`}
                    aria-label={`${permission} ${resource}`}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </fieldset>
  );
}
