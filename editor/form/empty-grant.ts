/** What a list without names means: `any` if it is missing; one that is there and empty allows nobody, whatever the others say. */
export function emptyHelp(
  list: readonly string[] | undefined,
  isNobody: boolean,
  any: string,
): string | undefined {
  if (list?.length === 0) return 'Stored as an empty list, which allows nobody: choose some.';
  return isNobody ? undefined : `None: ${any}.`;
}
