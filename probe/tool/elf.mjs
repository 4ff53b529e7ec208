// Makes tiny static programs: each makes one system call and exits with its error number, or 0 if it succeeded.

const base = 0x400000;
const headersBytes = 64 + 56;

/**
 * An argument is a number, or bytes (a text becomes one that ends with a zero) to whose address the program points.
 * @typedef {number | string | Uint8Array} Argument
 * @typedef {{ machine: number, load: (nth: number, value: bigint) => Buffer, end: Buffer }} Architecture
 */

/** @param {number[]} words */
const wordsOf = (...words) => {
  const bytes = Buffer.alloc(4 * words.length);
  words.forEach((word, nth) => {
    bytes.writeUInt32LE(word >>> 0, 4 * nth);
  });
  return bytes;
};

/** mov rax, rdi, rsi, rdx, r10, r8 and r9 */
const x64Moves = [0x48b8, 0x48bf, 0x48be, 0x48ba, 0x49ba, 0x49b8, 0x49b9];
/** x8 holds the number of the call on ARM. */
const armRegisters = [8, 0, 1, 2, 3, 4, 5];

/** @type {Record<string, Architecture>} */
export const architectures = {
  x64: {
    machine: 62,
    load: (nth, value) => {
      const code = Buffer.alloc(10);
      code.writeUInt16BE(x64Moves[nth]);
      code.writeBigUInt64LE(value, 2);
      return code;
    },
    // syscall; mov edi, eax; neg edi; jns 1f; xor edi, edi; 1: mov eax, exit_group; syscall
    end: Buffer.from("0f0589c7f7df790231ffb8e70000000f05", "hex"),
  },
  arm64: {
    machine: 183,
    load: (nth, value) =>
      // movz and three movk, sixteen bits each
      wordsOf(
        ...[0, 1, 2, 3].map((part) => {
          const bits = Number((value >> BigInt(16 * part)) & 0xffffn);
          return (part === 0 ? 0xd2800000 : 0xf2800000) + part * 0x200000 + bits * 32 + armRegisters[nth];
        }),
      ),
    // svc 0; negs w0, w0; csel w0, w0, wzr, pl; mov w8, exit_group; svc 0
    end: wordsOf(0xd4000001, 0x6b0003e0, 0x1a9f5000, 0x52800bc8, 0xd4000001),
  },
};

/** @param {number} machine @param {number} size of the file */
const headers = (machine, size) => {
  const bytes = Buffer.alloc(headersBytes);
  // 64 bits, little endian, an executable with one program header.
  Buffer.from("7f454c46020101", "hex").copy(bytes);
  bytes.writeUInt16LE(2, 16);
  bytes.writeUInt16LE(machine, 18);
  bytes.writeUInt32LE(1, 20);
  bytes.writeBigUInt64LE(BigInt(base + headersBytes), 24);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(64, 52);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  // The whole file is loaded, readable, writable and executable.
  bytes.writeUInt32LE(1, 64);
  bytes.writeUInt32LE(7, 68);
  bytes.writeBigUInt64LE(BigInt(base), 80);
  bytes.writeBigUInt64LE(BigInt(base), 88);
  bytes.writeBigUInt64LE(BigInt(size), 96);
  bytes.writeBigUInt64LE(BigInt(size), 104);
  bytes.writeBigUInt64LE(4096n, 112);
  return bytes;
};

/**
 * Returns a program for Linux.
 * @param {Architecture} architecture
 * @param {number} call number of the system call
 * @param {Argument[]} args at most six
 */
export const programOf = ({ machine, load, end }, call, args) => {
  const codeBytes = load(0, 0n).length * (args.length + 1) + end.length;
  let dataAt = headersBytes + Math.ceil(codeBytes / 8) * 8;
  const data = [Buffer.alloc(dataAt - headersBytes - codeBytes)];
  const values = args.map((arg) => {
    if (typeof arg === "number") return BigInt.asUintN(64, BigInt(arg));
    const bytes = typeof arg === "string" ? Buffer.from(`${arg}\0`) : Buffer.from(arg);
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7)]);
    data.push(padded);
    dataAt += padded.length;
    return BigInt(base + dataAt - padded.length);
  });
  const code = [BigInt(call), ...values].map((value, nth) => load(nth, value));
  const body = Buffer.concat([...code, end, ...data]);
  return Buffer.concat([headers(machine, headersBytes + body.length), body]);
};
