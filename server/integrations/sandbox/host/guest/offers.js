/**
 * The library: globals and parts of `ctx` that only some code names. Its files are added to the code's side where the
 * code may use one of them (`prepare.ts`); everywhere else a context opens without.
 *
 * @typedef {{
 *   shared: object[],
 *   install(seed: string): void,
 *   context(call: import('./open-call.js').GuestCall): Record<string, unknown>,
 *   body(given: unknown): { base64?: string, body?: string, type: string } | undefined,
 *   response(given: { text?: string | undefined, base64?: string | undefined }): Record<string, () => Promise<unknown>>,
 *   callGlobals: readonly string[],
 *   makeCallGlobals(call: import('./open-call.js').GuestCall): unknown[],
 * }} Library
 *
 * `shared`: objects that the code of every call gets. `body`: of a request, if it is no JSON. `response`: what reads one as bytes.
 * `callGlobals` are names that belong to one call, since its answers come back to that call only.
 */

/** @type {Library | undefined} */
let library = undefined;

/** @type {(given: Library) => void} */
export function offer(given) {
  library = given;
}

export function offered() {
  return library;
}
