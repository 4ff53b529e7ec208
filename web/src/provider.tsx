import { base, provider } from "./api.js";

/** Returns the URL that starts a sign-in with the provider. */
export const signInAddress = (query: Readonly<Record<string, string>>): string =>
  `${base}/-/sign-in/oidc?${new URLSearchParams(query)}`;

const problems: Readonly<Record<string, readonly [what: string, next: string]>> = {
  unavailable: ["The provider cannot be reached.", "Try again in a moment, or sign in with a token."],
  denied: ["The provider has refused the sign-in.", "Try again, or sign in with a token."],
  failed: ["The provider's response was not accepted.", "Try again. If it happens again, the gateway's log says why."],
  expired: ["This sign-in is older than ten minutes, or was started in another browser.", "Try again."],
  unknown: [
    "You have no user here yet.",
    "If you have a token, sign in with it and connect your identity on the Sessions page. Otherwise ask an administrator: OIDC_CREATE_USERS creates users at their first sign-in.",
  ],
  ended: ["Your user was deleted, or this identity was disconnected.", "Ask an administrator."],
  session: ["Your session has ended, so it cannot connect an identity.", "Sign in first, then connect it."],
  scope: [
    "Your session may not connect an identity.",
    "Sign in with a token that has every permission you may have and that does not expire.",
  ],
  taken: ["This identity belongs to another user.", "Disconnect it there first."],
  many: ["You have too many identities.", "Disconnect one that you do not need."],
};

/** Shows why a sign-in with the provider failed, if the address has a `problem`. */
export function ProviderProblem() {
  const problem = new URLSearchParams(location.search).get("problem") ?? "";
  const [what, next] = (provider && Object.hasOwn(problems, problem) && problems[problem]) || [];
  if (!what) return null;
  return (
    <div class="complaint" role="alert">
      <p>{what}</p>
      <p>{next}</p>
    </div>
  );
}
