/** The name of a connection for the name of a data source, which may be any text there: `Shop-DB` is `shop_db`. */
export function connectionNameOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 60);
  return /^[a-z]/.test(plain) ? plain : `db_${plain}`.replace(/_$/, '');
}
