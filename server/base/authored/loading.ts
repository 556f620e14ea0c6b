/**
 * Whether this process loads users' files for its own purposes (a server, the command line, a probe). If so, `serve`
 * at the end of such a file does nothing.
 */
let loading = false;

/** Call it before users' files are loaded; it holds until the process ends. */
export function markLoading(): void {
  loading = true;
}

/** Whether `markLoading` was called. */
export function isLoading(): boolean {
  return loading;
}
