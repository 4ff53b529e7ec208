import { base } from "../api.js";
import { useNow } from "../data.js";
import { Facts } from "../owned.js";
import { Ago, Failed, Loading, Page } from "../parts.js";
import { useAccount } from "../user.js";

/** What a user has besides namespaces and builds, with the sentence that says what it is for. */
const lists = [
  ["/variables", "Variables", "environment variables of your builds"],
  ["/keys", "SSH keys", "private keys that your builds find"],
  ["/objects", "Objects", "files that your builds can use"],
  ["/images", "Images", "disk images for virtual machines"],
  ["/cron", "Cron jobs", "builds on a schedule"],
  ["/invites", "Invites", "namespaces that you may join"],
  ["/tokens", "Tokens", "what programs send to act for you"],
  ["/user/sessions", "Sessions", "browsers where you are signed in"],
] as const;

/** The user, and everything that is theirs. */
export function UserPage() {
  const { data: user, error } = useAccount();
  const now = useNow(false);
  if (error && !user) return <Failed error={error} />;
  return (
    <Page title="Your account">
      {!user && <Loading />}
      {user && (
        <Facts
          of={{
            Username: user.username,
            "E-mail": user.email,
            Since: <Ago time={user.created_at} now={now} />,
            ...(user.admin ? { Role: "administrator" } : {}),
          }}
        />
      )}
      <section aria-label="Yours">
        <h2>Yours</h2>
        <ul class="rows">
          {lists.map(([address, name, about]) => (
            <li class="row" key={address}>
              <div class="what">
                <a href={base + address}>{name}</a>
                <div class="quiet">{about}</div>
              </div>
            </li>
          ))}
        </ul>
      </section>
    </Page>
  );
}
