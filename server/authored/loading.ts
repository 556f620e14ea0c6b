/**
 * Whether this process loads files of the author's for its own ends (a server, the command line, a probe). What `serve` at the
 * end of such a file asks for is then nobody's wish.
 */
let loading = false;

export function markLoading(): void {
  loading = true;
}

export function isLoading(): boolean {
  return loading;
}
