/**
 * Whether this process loads users' files for its own purposes (a server, the command line, a probe). If so, `serve`
 * at the end of such a file does nothing.
 */
let loading = false;

export function markLoading(): void {
  loading = true;
}

export function isLoading(): boolean {
  return loading;
}
