import { useEffect, useState } from "preact/hooks";
import { base, client, isUnauthorized, provider } from "../api.js";
import { go, useAddress } from "../location.js";
import { Complaint, Page } from "../parts.js";
import { ProviderProblem, signInAddress } from "../provider.js";
import { ownPage } from "../routes.js";
import { rememberedUser } from "../user.js";

/** Returns where to go after signing in: a page of ours. */
function nextPage(): string {
  const next = new URLSearchParams(location.search).get("next") ?? "";
  return ownPage(base, location.origin, next) ?? `${base}/builds`;
}

const Refused = ({ error, link }: { error: unknown; link: boolean }) => {
  if (!isUnauthorized(error)) return <Complaint error={error} />;
  return (
    <div class="complaint" role="alert">
      <p>{link ? "This link has already been used, or is older than ten minutes." : "This token is not valid."}</p>
      <p>{link ? "Ask for another link, or sign in with a token." : "Check that you copied all of it."}</p>
    </div>
  );
};

/** Asks first: the link may be somebody else's, who wants to get what this user enters from now on. */
const Offer = ({ username, onAccept }: { username: string; onAccept: () => void }) => (
  <div class="complaint" role="alert">
    <p>
      You are signed in as <b>{username}</b>. This link signs you in as the user who made it.
    </p>
    <p>
      <button type="button" onClick={onAccept}>
        Use the link
      </button>{" "}
      <a href={nextPage()}>Stay signed in as {username}</a>
    </p>
  </div>
);

/** Signs in with a token, or with the one-time link that the address holds. */
export function SignInPage() {
  const [offered, setOffered] = useState<{ username: string; link: string }>();
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ error: unknown; link: boolean }>();

  async function signIn(body: { token: string } | { link: string }): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    try {
      await client.api.POST("/session", { body });
      go(nextPage(), { replace: true });
    } catch (error) {
      setFailure({ error, link: "link" in body });
      setBusy(false);
    }
  }

  // A tab that shows this page already loads nothing when it opens a link.
  const address = useAddress();
  useEffect(() => {
    const link = location.hash.slice(1);
    if (!link) return;
    // The history must not keep the secret.
    history.replaceState(null, "", location.pathname + location.search);
    const username = rememberedUser();
    if (username === undefined) void signIn({ link });
    else setOffered({ username, link });
  }, [address]);

  const submit = (event: Event) => {
    event.preventDefault();
    void signIn({ token: token.trim() });
  };
  return (
    <div class="sign-in">
      <Page title="Sign in to Service CI">
        {provider && (
          <p>
            {/* The address is the gateway's, not the page's. */}
            <a class="button primary" rel="external" href={signInAddress({ next: nextPage() })}>
              Sign in with {provider}
            </a>
          </p>
        )}
        {!failure && <ProviderProblem />}
        {offered && (
          <Offer
            username={offered.username}
            onAccept={() => {
              setOffered(undefined);
              void signIn({ link: offered.link });
            }}
          />
        )}
        <form onSubmit={submit}>
          <label for="token">Access token</label>
          <input
            id="token"
            type="password"
            autoComplete="current-password"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <button type="submit" disabled={busy}>
            {busy ? "Signing in …" : "Sign in"}
          </button>
        </form>
        {failure && <Refused {...failure} />}
        <p class="quiet">
          Ask an administrator for a token, or create one with <code>POST /tokens</code>. On the machine where{" "}
          <code>npm start</code> runs, use the link that it printed.
        </p>
      </Page>
    </div>
  );
}
