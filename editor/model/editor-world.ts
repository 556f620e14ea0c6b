import type { World } from '#engine/check';

/** What is known of the rest of the server: what the checks need, and for previews the variables with their values. */
export type EditorWorld = World & { readonly values?: Readonly<Record<string, unknown>> | undefined };
