import { readFileSync } from "node:fs";
import { createSecureContext, type SecureContext } from "node:tls";

interface TlsFiles {
  readonly tlsCAFile?: string;
  readonly tlsCertificateKeyFile?: string;
  readonly tlsCertificateKeyFilePassword?: string;
  readonly tlsCRLFile?: string;
}

/**
 * Returns a TLS context that reads its files for each connection. The driver reads them only once, and would then refuse a
 * server whose new certificate another authority has signed. Files that cannot be used, as in the middle of a change, are
 * ignored until they can.
 */
export function fileContext(files: TlsFiles): SecureContext {
  const read = (file: string | undefined) => (file ? readFileSync(file, "utf8") : undefined);
  let last: { readonly texts: string; readonly context: unknown } | undefined;
  function current(): unknown {
    const [ca, cert, crl] = [files.tlsCAFile, files.tlsCertificateKeyFile, files.tlsCRLFile].map(read);
    const texts = JSON.stringify([ca, cert, crl]);
    if (last?.texts === texts) return last.context;
    const secure = createSecureContext({ ca, cert, key: cert, crl, passphrase: files.tlsCertificateKeyFilePassword });
    last = { texts, context: secure.context };
    return last.context;
  }
  return {
    get context() {
      try {
        return current();
      } catch (error) {
        if (!last) throw error;
        return last.context;
      }
    },
  };
}
