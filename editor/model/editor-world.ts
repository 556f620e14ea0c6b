import type { World } from '#engine/check';

/** The known facts about the rest of the server, for the checks, and the values of variables, for previews. */
export type EditorWorld = World & {
  readonly values?: Readonly<Record<string, unknown>> | undefined;
};
