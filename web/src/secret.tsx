import { Copy } from "./copy.js";

interface Props {
  /** The secret's owner: `the token deploy`. */
  readonly of: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A secret that is shown once, right after it was made. */
export const Secret = ({ of, secret, onClose }: Props) => (
  <div class="secret">
    <Copy label={`Secret of ${of}`} value={secret} />
    <button type="button" onClick={onClose}>
      I have stored it
    </button>
    <p class="quiet">This secret is not shown again.</p>
  </div>
);
