/** A document that holds a secret. */
export interface Encrypted {
  /** The secret, encrypted for this record. The text names its key. */
  readonly sealed: string;
}
