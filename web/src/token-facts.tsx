import type { components } from "@service-ci/client";
import type { ComponentChildren } from "preact";
import { moment } from "./format.js";
import { Ago } from "./parts.js";

export type Token = components["schemas"]["Token"];

interface Props {
  readonly token: Token;
  readonly now: number;
  /** What a list says besides. */
  readonly children?: ComponentChildren;
}

/** What lists say about a token. */
export const TokenFacts = ({ token, now, children }: Props) => (
  <div class="what">
    <span>{token.name}</span>
    <div class="quiet">
      {children}
      <span>
        created <Ago time={token.created_at} now={now} />
      </span>
      <span>{token.last_used_at ? <>used {<Ago time={token.last_used_at} now={now} />}</> : "never used"}</span>
      <span>{token.expires_at ? `expires ${moment(token.expires_at)}` : "never expires"}</span>
    </div>
    <div class="quiet">{token.scope}</div>
  </div>
);
