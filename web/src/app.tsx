import { record } from "@service-ci/client";
import type { ComponentType } from "preact";
import { base, client, currentPath } from "./api.js";
import { useData } from "./data.js";
import { go, useAddress } from "./location.js";
import { BuildPage } from "./pages/build.js";
import { BuildsPage } from "./pages/builds.js";
import { NamespacePage } from "./pages/namespace.js";
import { NamespacesPage } from "./pages/namespaces.js";
import { NewBuildPage } from "./pages/new-build.js";
import { RecordPage } from "./pages/record.js";
import { SessionsPage } from "./pages/sessions.js";
import { SignInPage } from "./pages/sign-in.js";
import { findRoute, type Params } from "./routes.js";

type PageOf = ComponentType<{ params: Params }>;

const routes: { pattern: string; page: PageOf }[] = [
  { pattern: "/", page: BuildsPage },
  { pattern: "/builds", page: BuildsPage },
  { pattern: "/b/:user/:number", page: BuildPage },
  { pattern: "/namespaces", page: NamespacesPage },
  { pattern: "/n/:user/:path", page: NamespacePage },
  { pattern: "/user/sessions", page: SessionsPage },
  { pattern: "/-/new-build", page: NewBuildPage },
];

/** The page at the open address. Every address of the API has one. */
export function App() {
  useAddress();
  const path = currentPath();
  if (path === "/-/sign-in") return <SignInPage />;
  const { page: Shown, params } = findRoute(routes, path) ?? { page: RecordPage, params: {} };
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Header path={path} />
      <Shown key={path} params={params} />
    </>
  );
}

const links = [
  ["/builds", "Builds"],
  ["/namespaces", "Namespaces"],
  ["/user/sessions", "Sessions"],
] as const;

async function signOut(): Promise<void> {
  await client.request("/session", { method: "DELETE" }).catch(() => undefined);
  go(`${base}/-/sign-in`);
}

function Header({ path }: { path: string }) {
  const { data: user } = useData("user", () => record(client.api.GET("/user")));
  const current = path === "/" ? "/builds" : path;
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
      </nav>
      <div class="account">
        {user ? (
          <>
            <a href={`${base}/user`}>{user.username}</a>
            <button type="button" class="plain" onClick={signOut}>
              Sign out
            </button>
          </>
        ) : (
          <a href={`${base}/-/sign-in`}>Sign in</a>
        )}
      </div>
    </header>
  );
}
