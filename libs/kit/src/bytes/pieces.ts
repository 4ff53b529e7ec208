const maxLoose = 256;

/** The pieces of a body that is arriving. Even if each is a single byte, they take little more memory than the body. */
export class Pieces {
  sizeBytes = 0;
  readonly #joined: Buffer[] = [];
  #loose: Uint8Array[] = [];

  add(piece: Uint8Array): void {
    this.sizeBytes += piece.length;
    if (this.#loose.push(piece) < maxLoose) return;
    this.#joined.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  all(): Buffer {
    return Buffer.concat([...this.#joined, ...this.#loose]);
  }
}
