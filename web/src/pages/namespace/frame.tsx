import { encodeName } from "@service-ci/client";
import type { ComponentChildren } from "preact";
import { base, type Namespace } from "../../api.js";
import { Page } from "../../parts.js";
import type { Params } from "../../routes.js";
import { useUser } from "../../user.js";

/** The pages of a namespace, by the last segment of their addresses. */
const sections = {
  "": "Overview",
  namespaces: "Namespaces below",
  collaborators: "People",
  variables: "Variables",
  keys: "SSH keys",
  objects: "Objects",
  images: "Images",
  repositories: "Repositories",
  webhooks: "Webhooks",
  invites: "Invites",
} as const;

export type Section = keyof typeof sections;

/** Returns the path of a namespace in the API and on the page. */
export const namespacePath = ({ user = "", path = "" }: Params): string =>
  `/n/${encodeURIComponent(user)}/${encodeName(path)}`;

/** Returns how a user's manifest names a namespace. Without its owner, it is a namespace of the user. */
export const nameInManifest = ({ path, user }: Pick<Namespace, "path" | "user">, me: string | undefined): string =>
  user.username === me ? path : `${path}@${user.username}`;

interface Props {
  readonly params: Params;
  readonly section: Section;
  /** The heading of a page below the section. */
  readonly title?: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page of a namespace, with links to the other ones. */
export function NamespaceFrame({ params, section, title, actions, children }: Props) {
  const { user, path = "" } = params;
  const isOwner = useUser()?.username === user;
  const address = base + namespacePath(params);
  return (
    <Page title={title ?? (section === "" ? path : `${sections[section]} of ${path}`)} actions={actions}>
      <nav class="sections" aria-label="In this namespace">
        {Object.entries(sections).map(([end, text]) =>
          end === "invites" && !isOwner ? null : (
            <a
              key={end}
              href={end === "" ? address : `${address}/-/${end}`}
              aria-current={end !== section ? undefined : title === undefined ? "page" : "true"}
            >
              {text}
            </a>
          ),
        )}
      </nav>
      {children}
    </Page>
  );
}
