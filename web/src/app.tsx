import type { ComponentType } from "preact";
import { base, client, currentPath, isUnauthorized, signInPage } from "./api.js";
import { BuildListPage } from "./build-list.js";
import { go, useAddress } from "./location.js";
import { BuildPage } from "./pages/build.js";
import { BuildTestsPage } from "./pages/build-tests.js";
import { BuildsPage } from "./pages/builds.js";
import { CronPage, CronsPage } from "./pages/cron.js";
import { InvitesPage, NamespaceInvitesPage } from "./pages/invites.js";
import { NamespacePage } from "./pages/namespace/overview.js";
import { CollaboratorsPage } from "./pages/namespace/people.js";
import { RepositoriesPage } from "./pages/namespace/repositories.js";
import { RepositoryPage } from "./pages/namespace/repository.js";
import { HookDeliveriesPage, HookDeliveryPage } from "./pages/namespace/repository-deliveries.js";
import { WebhookPage } from "./pages/namespace/webhook.js";
import { WebhookDeliveriesPage, WebhookDeliveryPage } from "./pages/namespace/webhook-deliveries.js";
import { WebhooksPage } from "./pages/namespace/webhooks.js";
import { NamespacesPage } from "./pages/namespaces.js";
import { NewBuildPage } from "./pages/new-build.js";
import { AuditPage } from "./pages/operate/audit.js";
import { isOperated } from "./pages/operate/frame.js";
import { QueuePage } from "./pages/operate/queue.js";
import { RunnersPage } from "./pages/operate/runners.js";
import { AllTokensPage } from "./pages/operate/tokens.js";
import { UsersPage } from "./pages/operate/users.js";
import { ImagePage, ImagesPage } from "./pages/owned/images.js";
import { KeyPage, KeysPage } from "./pages/owned/keys.js";
import { ObjectPage, ObjectsPage } from "./pages/owned/objects.js";
import { VariablePage, VariablesPage } from "./pages/owned/variables.js";
import { RecordPage } from "./pages/record.js";
import { SessionsPage } from "./pages/sessions.js";
import { SignInPage } from "./pages/sign-in.js";
import { TokensPage } from "./pages/tokens.js";
import { UserPage } from "./pages/user.js";
import { Complaint } from "./parts.js";
import { findRoute, type Params } from "./routes.js";
import { clearTab } from "./tab-storage.js";
import { type Account, rememberUser, UserProvider, useAccount } from "./user.js";
import { useWork } from "./work.js";

type PageOf = ComponentType<{ params: Params }>;

const routes: { pattern: string; page: PageOf }[] = [
  { pattern: "/", page: BuildsPage },
  { pattern: "/builds", page: BuildsPage },
  { pattern: "/events", page: BuildsPage },
  { pattern: "/b/:user/:number", page: BuildPage },
  { pattern: "/b/:user/:number/tests", page: BuildTestsPage },
  { pattern: "/namespaces", page: NamespacesPage },
  { pattern: "/n/:user/:path", page: NamespacePage },
  { pattern: "/n/:user/:path/-/events", page: NamespacePage },
  { pattern: "/n/:user/:path/-/namespaces", page: NamespacesPage },
  { pattern: "/n/:user/:path/-/collaborators", page: CollaboratorsPage },
  { pattern: "/n/:user/:path/-/invites", page: NamespaceInvitesPage },
  { pattern: "/n/:user/:path/-/variables", page: VariablesPage },
  { pattern: "/n/:user/:path/-/keys", page: KeysPage },
  { pattern: "/n/:user/:path/-/objects", page: ObjectsPage },
  { pattern: "/n/:user/:path/-/images", page: ImagesPage },
  { pattern: "/variables", page: VariablesPage },
  { pattern: "/variables/:id", page: VariablePage },
  { pattern: "/keys", page: KeysPage },
  { pattern: "/keys/:id", page: KeyPage },
  { pattern: "/objects", page: ObjectsPage },
  { pattern: "/objects/:id", page: ObjectPage },
  { pattern: "/images", page: ImagesPage },
  { pattern: "/images/:id", page: ImagePage },
  { pattern: "/objects/:id/builds", page: BuildListPage },
  { pattern: "/cron", page: CronsPage },
  { pattern: "/cron/:id", page: CronPage },
  { pattern: "/cron/:id/builds", page: BuildListPage },
  { pattern: "/invites", page: InvitesPage },
  { pattern: "/tokens", page: TokensPage },
  { pattern: "/user", page: UserPage },
  { pattern: "/n/:user/:path/-/webhooks", page: WebhooksPage },
  { pattern: "/n/:user/:path/-/webhooks/:id", page: WebhookPage },
  { pattern: "/n/:user/:path/-/webhooks/:id/deliveries", page: WebhookDeliveriesPage },
  { pattern: "/n/:user/:path/-/webhooks/:id/deliveries/:delivery", page: WebhookDeliveryPage },
  { pattern: "/n/:user/:path/-/repositories", page: RepositoriesPage },
  { pattern: "/n/:user/:path/-/repositories/:id", page: RepositoryPage },
  { pattern: "/n/:user/:path/-/repositories/:id/deliveries", page: HookDeliveriesPage },
  { pattern: "/n/:user/:path/-/repositories/:id/deliveries/:delivery", page: HookDeliveryPage },
  { pattern: "/queue", page: QueuePage },
  { pattern: "/runners", page: RunnersPage },
  { pattern: "/users", page: UsersPage },
  { pattern: "/users/-/tokens", page: AllTokensPage },
  { pattern: "/audit", page: AuditPage },
  { pattern: "/user/sessions", page: SessionsPage },
  { pattern: "/-/new-build", page: NewBuildPage },
];

/** The page for the current address. Every address of the API has one. */
export function App() {
  useAddress();
  const path = currentPath();
  return path === "/-/sign-in" ? <SignInPage /> : <Signed path={path} />;
}

function Signed({ path }: { path: string }) {
  const { data: user } = useAccount();
  const { page: Shown, params } = findRoute(routes, path) ?? { page: RecordPage, params: {} };
  return (
    <UserProvider value={user}>
      {/* biome-ignore lint/a11y/useValidAnchor: a followed link would replace the job that the address names */}
      <a class="skip" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <Header path={path} user={user} />
      <Shown key={path} params={params} />
    </UserProvider>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#content h1")?.focus();
}

const links = [
  ["/builds", "Builds"],
  ["/namespaces", "Namespaces"],
  ["/user", "Account"],
] as const;

async function endSession(): Promise<void> {
  try {
    await client.request("/session", { method: "DELETE" });
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
  }
}

function Header({ path, user }: { path: string; user: Account | undefined }) {
  const current = path === "/" ? "/builds" : path;
  const { busy, failure, start } = useWork(() => {
    rememberUser(undefined);
    clearTab();
    go(`${base}/-/sign-in`);
  });
  return (
    <header class="top">
      <a class="brand" href={`${base}/builds`}>
        Service CI
      </a>
      <nav aria-label="Main">
        {links.map(([to, text]) => (
          <a key={to} href={base + to} aria-current={current === to ? "page" : undefined}>
            {text}
          </a>
        ))}
        {user?.admin && (
          <a href={`${base}/queue`} aria-current={isOperated(path) ? "page" : undefined}>
            Operate
          </a>
        )}
      </nav>
      <div class="account">
        {user ? (
          <>
            <span class="quiet">{user.username}</span>
            <button type="button" class="plain" aria-disabled={busy} onClick={() => busy || start(endSession)}>
              Sign out
            </button>
          </>
        ) : (
          <a href={signInPage()}>Sign in</a>
        )}
      </div>
      {failure !== undefined && <Complaint error={failure} />}
    </header>
  );
}
