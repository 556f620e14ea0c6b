import { useContext } from 'react';
import { SOURCES, type ThingKind } from './name-sources.ts';
import { NewThing } from './new-thing.ts';
import { ReadOnly } from './read-only.ts';

/** Makes one in place; undefined where that cannot be done. `within`: what it is made in. */
export function useMaking(
  of: ThingKind,
  use: (name: string) => void,
  within?: string,
): ((wanted: string) => void) | undefined {
  const { made, isAskedFor = false } = SOURCES[of];
  const make = useContext(NewThing);
  const isLocked = useContext(ReadOnly);
  if (!made || !make || isLocked || (isAskedFor && within === undefined)) return undefined;
  return (wanted) => make({ kind: made, use, wanted, within });
}
