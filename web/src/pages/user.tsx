import { base } from "../api.js";
import { useNow } from "../data.js";
import { Facts } from "../owned.js";
import { Ago, Failed, Loading, Page } from "../parts.js";
import { useAccount } from "../user.js";

/** A user's lists besides namespaces and builds, each with a phrase that describes it. */
const lists = [
  ["/variables", "Variables", "environment variables of your builds"],
  ["/keys", "SSH keys", "private keys for your builds"],
  ["/objects", "Objects", "files for your builds"],
  ["/images", "Images", "disk images for virtual machines"],
  ["/cron", "Cron jobs", "builds on a schedule"],
  ["/invites", "Invites", "namespaces that you may join"],
  ["/tokens", "Tokens", "what programs send to act for you"],
  ["/user/sessions", "Sessions", "browsers where you are signed in"],
] as const;

/** The signed-in user, with links to the user's lists. */
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
