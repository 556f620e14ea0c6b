/** The name in `attachment; filename="a.txt"`, or in `filename*=UTF-8''a.txt`. */
export function dispositionName(disposition: string | undefined): string | undefined {
  const coded = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition ?? '')?.[1];
  if (coded !== undefined) {
    try {
      return decodeURIComponent(coded);
    } catch {
      return undefined;
    }
  }
  const [, quoted, plain] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition ?? '') ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? plain;
}

/** A name as `Content-Disposition` has it: plain for every reader, exact for those that know RFC 8187. */
export function dispositionWith(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const coded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${coded}`}`;
}
