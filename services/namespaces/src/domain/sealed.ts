/** What a document holds that keeps a secret. */
export interface Sealed {
  /** The secret, encrypted for this record. */
  readonly sealed: string;
  /** The id of the key it was encrypted with, to find what a retired key would leave unreadable. */
  readonly sealedWith: string;
}
