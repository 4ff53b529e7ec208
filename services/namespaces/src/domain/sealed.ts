/** What a document holds that keeps a secret. */
export interface Sealed {
  /** The secret, encrypted for this record; the text names the key it was encrypted with. */
  readonly sealed: string;
}
