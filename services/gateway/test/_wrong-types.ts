/** A request with fields of wrong types. */
export interface WrongTypeCase {
  /** The method and path as in the table of routes. */
  readonly row: string;
  readonly path: () => string;
  /** One field of a wrong type, all others valid. */
  readonly oneWrongType: () => object;
  /** The same wrong field and further mistakes, and all complaints. */
  readonly moreMistakes?: () => object;
  readonly complaints: Readonly<Record<string, readonly string[]>>;
}
